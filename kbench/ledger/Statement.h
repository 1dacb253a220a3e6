// A prepared SQLite statement.
#pragma once
#include <cassert>
#include <sqlite3.h>
#include <string>

namespace phobos::kbench {

class Statement {
public:
  Statement(sqlite3 *db, const char *sql) : db_(db) { sqlite3_prepare_v2(db, sql, -1, &s_, nullptr); }
  ~Statement() { sqlite3_finalize(s_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  void bind(int column, const std::string &v) {
    sqlite3_bind_text(s_, column, v.data(), static_cast<int>(v.size()), SQLITE_TRANSIENT);
  }
  void bind(int column, double v) { sqlite3_bind_double(s_, column, v); }
  void bind(int column, int64_t v) { sqlite3_bind_int64(s_, column, v); }
  /// True while there is a row.
  bool step() {
    status_ = s_ ? sqlite3_step(s_) : SQLITE_ERROR;
    return status_ == SQLITE_ROW;
  }
  /// After the last row: whether that was all, or, with a reason, it failed.
  bool isWhole(std::string &error) const {
    if (status_ == SQLITE_DONE)
      return true;
    error = sqlite3_errmsg(db_);
    return false;
  }
  void reset() { sqlite3_reset(s_); }
  /// Runs it to its end.
  bool finish(std::string &error) {
    int status = s_ ? sqlite3_step(s_) : SQLITE_ERROR;
    if (status == SQLITE_DONE || status == SQLITE_ROW)
      return true;
    error = sqlite3_errmsg(db_);
    return false;
  }
  std::string text(int column) const {
    auto *p = reinterpret_cast<const char *>(sqlite3_column_text(s_, column));
    return p ? p : "";
  }
  double real(int column) const { return sqlite3_column_double(s_, column); }
  int64_t integer(int column) const { return sqlite3_column_int64(s_, column); }

private:
  sqlite3 *db_;
  sqlite3_stmt *s_ = nullptr;
  int status_ = SQLITE_OK;
};

} // namespace phobos::kbench
