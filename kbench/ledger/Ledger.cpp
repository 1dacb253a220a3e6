#include "kbench/ledger/Ledger.h"
#include "kbench/ledger/Statement.h"
#include "kbench/stats/Statistics.h"
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace phobos::kbench {
namespace {

constexpr int schemaVersion = 1;
constexpr const char *schema = R"(
CREATE TABLE run(
  id TEXT PRIMARY KEY, started TEXT NOT NULL,
  kernel TEXT NOT NULL, kernel_hash TEXT NOT NULL, target TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL,
  build TEXT NOT NULL, mode TEXT NOT NULL, shape TEXT NOT NULL, args TEXT NOT NULL,
  search TEXT NOT NULL, file TEXT NOT NULL, host TEXT NOT NULL, command TEXT NOT NULL);
CREATE TABLE measurement(
  run TEXT NOT NULL REFERENCES run(id), number INTEGER NOT NULL, at TEXT NOT NULL, stage TEXT NOT NULL,
  point TEXT NOT NULL, status TEXT NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
  compile_ms REAL, worst_error REAL, cases INTEGER, flops REAL, bytes REAL, compute_bound INTEGER,
  resources TEXT NOT NULL, samples_ns TEXT NOT NULL, median_ns REAL, mad_ns REAL,
  PRIMARY KEY(run, number));
CREATE TABLE finish(run TEXT PRIMARY KEY REFERENCES run(id), at TEXT NOT NULL, outcome TEXT NOT NULL);
CREATE INDEX run_setting ON run(kernel_hash, target, shape);
CREATE TRIGGER run_kept BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
CREATE TRIGGER run_stays BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
CREATE TRIGGER measurement_kept BEFORE UPDATE ON measurement BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
CREATE TRIGGER measurement_stays BEFORE DELETE ON measurement BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
CREATE TRIGGER finish_kept BEFORE UPDATE ON finish BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
CREATE TRIGGER finish_stays BEFORE DELETE ON finish BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END;
)";

std::string now() {
  auto t = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  tm parts{};
  gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string freshId() {
  std::random_device device;
  char text[40];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", device(), device(), device(), device());
  return text;
}

void bindSetting(Statement &s, int first, const Setting &x) {
  for (const std::string *field :
       {&x.kernel, &x.kernelHash, &x.target, &x.device, &x.driver, &x.build, &x.mode, &x.shape, &x.args})
    s.bind(first++, *field);
}

bool isKnownVersion(int64_t version, std::string &error) {
  if (version == schemaVersion)
    return true;
  error = "it has version " + std::to_string(version) + ", this build reads version " +
          std::to_string(schemaVersion);
  return false;
}

/// `file:` with what means something in a URI spelled out.
std::string uriOf(const std::string &path) {
  std::string uri = "file:";
  for (char c : path)
    uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  return uri;
}

} // namespace

std::string contentHash(std::string_view text) {
  // FNV-1a, 128 bits.
  unsigned __int128 prime = (static_cast<unsigned __int128>(1) << 88) + 0x13b;
  unsigned __int128 h = (static_cast<unsigned __int128>(0x6c62272e07bb0142ULL) << 64) | 0x62b821756295c58dULL;
  for (unsigned char c : text)
    h = (h ^ c) * prime;
  char out[40];
  std::snprintf(out, sizeof out, "%016llx%016llx", static_cast<unsigned long long>(h >> 64),
                static_cast<unsigned long long>(h));
  return out;
}

std::unique_ptr<Ledger> Ledger::open(const std::string &path, std::string &error) {
  std::unique_ptr<Ledger> ledger(new Ledger);
  if (!ledger->connect(path, false, error)) {
    error = "cannot open the ledger '" + path + "': " + error;
    return nullptr;
  }
  bool ok = ledger->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE", error);
  if (ok) {
    Statement version(ledger->db_, "PRAGMA user_version");
    int64_t have = version.step() ? version.integer(0) : -1;
    version.reset();
    if (have == 0)
      ok = ledger->execute(schema, error) &&
           ledger->execute("PRAGMA user_version=" + std::to_string(schemaVersion), error);
    else
      ok = isKnownVersion(have, error);
    std::string ignored;
    ok = ok ? ledger->execute("COMMIT", error) : (ledger->execute("ROLLBACK", ignored), false);
  }
  if (!ok) {
    error = "cannot use the ledger '" + path + "': " + error;
    return nullptr;
  }
  return ledger;
}

std::unique_ptr<Ledger> Ledger::openToRead(const std::string &path, std::string &error) {
  if (auto ledger = open(path, error))
    return ledger;
  // Where no file can be made beside it, SQLite reads it only if told that nobody changes it, and then leaves
  // out what a log beside it holds.
  std::error_code none;
  const bool hasLog = std::filesystem::file_size(path + "-wal", none) > 0 && !none;
  std::unique_ptr<Ledger> ledger(new Ledger);
  std::string ignored;
  if (!ledger->connect(uriOf(path) + (hasLog ? "?mode=ro" : "?immutable=1"), true, ignored))
    return nullptr;
  Statement version(ledger->db_, "PRAGMA user_version");
  if (!version.step() || version.integer(0) == 0) // what `open` said of it is the reason
    return nullptr;
  return isKnownVersion(version.integer(0), error) ? std::move(ledger) : nullptr;
}

bool Ledger::connect(const std::string &name, bool isReadOnly, std::string &error) {
  name_ = name;
  const int flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(name.c_str(), &db_, flags | SQLITE_OPEN_URI, nullptr) != SQLITE_OK) {
    error = sqlite3_errmsg(db_);
    return false;
  }
  sqlite3_busy_timeout(db_, 10000);
  return true;
}

Ledger::~Ledger() { sqlite3_close(db_); }

bool Ledger::execute(const std::string &sql, std::string &error) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
    return true;
  error = sqlite3_errmsg(db_);
  return false;
}

std::optional<std::string> Ledger::unfinishedRun(const Setting &setting, const std::string &search) {
  Statement s(db_,
              "SELECT id FROM run WHERE kernel=?1 AND kernel_hash=?2 AND target=?3 AND device=?4 AND "
              "driver=?5 AND build=?6 "
              "AND mode=?7 AND shape=?8 AND args=?9 AND search=?10 AND id NOT IN (SELECT run FROM finish) "
              "ORDER BY started DESC, rowid DESC LIMIT 1");
  bindSetting(s, 1, setting);
  s.bind(10, search);
  return s.step() ? std::optional(s.text(0)) : std::nullopt;
}

bool Ledger::begin(RunRecord &run, std::string &error) {
  run.id = freshId();
  run.started = now();
  Statement s(db_, "INSERT INTO run(kernel, kernel_hash, target, device, driver, build, mode, shape, args, "
                   "id, started, search, file, "
                   "host, command) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bindSetting(s, 1, run.setting);
  int column = 10;
  for (const std::string *field : {&run.id, &run.started, &run.search, &run.file, &run.host, &run.command})
    s.bind(column++, *field);
  return s.finish(error);
}

bool Ledger::add(const std::string &run, const Measurement &m, std::string &error) {
  Statement s(db_,
              "INSERT INTO measurement(run, number, at, stage, point, status, rule, detail, compile_ms, "
              "worst_error, cases, flops, "
              "bytes, compute_bound, resources, samples_ns, median_ns, mad_ns) VALUES(?1, (SELECT "
              "COALESCE(MAX(number), 0) + 1 "
              "FROM measurement WHERE run=?1), ?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)");
  Summary summary = summarize(m.samplesNs);
  int column = 1;
  for (const std::string &field : {run, now(), m.stage, m.point.str(), std::string(name(m.verdict.status)),
                                   m.verdict.rule, m.verdict.detail})
    s.bind(column++, field);
  s.bind(column++, m.compileMs);
  s.bind(column++, m.worstError);
  s.bind(column++, static_cast<int64_t>(m.cases));
  s.bind(column++, m.flops);
  s.bind(column++, m.bytes);
  s.bind(column++, static_cast<int64_t>(m.isComputeBound));
  s.bind(column++, nlohmann::json(m.resources).dump());
  s.bind(column++, nlohmann::json(m.samplesNs).dump());
  if (!m.samplesNs.empty()) {
    s.bind(column++, summary.median);
    s.bind(column++, summary.mad);
  }
  return s.finish(error);
}

bool Ledger::finish(const std::string &run, const std::string &outcome, std::string &error) {
  Statement s(db_, "INSERT INTO finish(run, at, outcome) VALUES(?,?,?)");
  s.bind(1, run);
  s.bind(2, now());
  s.bind(3, outcome);
  return s.finish(error);
}

std::vector<Measurement> Ledger::measurements(const std::string &run) {
  Statement s(db_, "SELECT stage, point, status, rule, detail, compile_ms, worst_error, cases, flops, bytes, "
                   "compute_bound, resources, "
                   "samples_ns FROM measurement WHERE run=? ORDER BY number");
  s.bind(1, run);
  std::vector<Measurement> result;
  while (s.step()) {
    Measurement m;
    std::string ignored;
    m.stage = s.text(0);
    parsePoint(s.text(1), m.point, ignored);
    m.verdict = {statusNamed(s.text(2)).value_or(Status::Lost), s.text(3), s.text(4)};
    m.compileMs = s.real(5);
    m.worstError = s.real(6);
    m.cases = static_cast<unsigned>(s.integer(7));
    m.flops = s.real(8);
    m.bytes = s.real(9);
    m.isComputeBound = s.integer(10) != 0;
    auto resources = nlohmann::json::parse(s.text(11), nullptr, false),
         samples = nlohmann::json::parse(s.text(12), nullptr, false);
    try {
      m.resources = resources.get<Resources>();
      m.samplesNs = samples.get<std::vector<double>>();
    } catch (const nlohmann::json::exception
                 &) { // a row that somebody else wrote: without its numbers it is no result
      m.verdict = {Status::Lost, "", "its row in the ledger is damaged"};
    }
    result.push_back(std::move(m));
  }
  return result;
}

std::vector<Ranked> Ledger::ranking(const Setting &setting, std::string &error) {
  // In the order of time, so that the latest run that timed a point says where it stands.
  Statement s(db_, R"(
    SELECT m.run, m.stage, m.point, m.status, m.median_ns, m.mad_ns, json_array_length(m.samples_ns)
    FROM measurement m JOIN run r ON r.id = m.run
    WHERE m.stage <> 'baseline'
      AND r.kernel = ?1 AND r.kernel_hash = ?2 AND r.target = ?3 AND r.device = ?4 AND r.driver = ?5
      AND (?6 = '' OR r.build = ?6) AND r.mode = ?7 AND r.shape = ?8 AND r.args = ?9
    ORDER BY r.started, r.rowid, m.number)");
  bindSetting(s, 1, setting);
  struct Row {
    std::string run, stage, point, status;
    double medianNs, madNs;
    size_t samples;
  };
  std::vector<Row> rows;
  std::map<std::string, std::set<std::string>> passed; // points of each run
  while (s.step()) {
    rows.push_back({s.text(0), s.text(1), s.text(2), s.text(3), s.real(4), s.real(5),
                    static_cast<size_t>(s.integer(6))});
    const Row &row = rows.back();
    if (row.status == "ok" && row.stage == "search")
      passed[row.run].insert(row.point);
  }
  if (!s.isWhole(error))
    return {};
  struct Known {
    Ranked row;
    std::string run;
  };
  std::map<std::string, Known> points;
  for (const auto &[run, stage, text, status, medianNs, madNs, samples] : rows) {
    auto known = points.find(text);
    const size_t among = std::max<size_t>(1, passed[run].size());
    if (status != "ok") {
      if (known != points.end() && known->second.run == run)
        points.erase(known); // not ok after all
      continue;
    }
    if (stage == "again") {
      if (known != points.end() && known->second.run == run && among > 1)
        known->second.row.standing = Ranked::Standing::Winner;
      continue;
    }
    if (medianNs <= 0 || (among == 1 && known != points.end() && known->second.row.among > 1))
      continue;
    Known &k = points[text];
    std::string ignored;
    k.run = run;
    k.row.point = Point();
    parsePoint(text, k.row.point, ignored);
    k.row.standing = stage == "final" ? Ranked::Standing::Finalist : Ranked::Standing::Searched;
    k.row.among = among;
    k.row.medianNs = medianNs;
    k.row.madNs = madNs;
    k.row.samples = samples;
  }
  std::vector<Ranked> result;
  for (auto &[text, known] : points)
    result.push_back(std::move(known.row));
  std::sort(result.begin(), result.end(), [](const Ranked &a, const Ranked &b) {
    return std::tuple(a.standing, a.medianNs, a.point.str()) <
           std::tuple(b.standing, b.medianNs, b.point.str());
  });
  return result;
}

std::vector<std::string> Ledger::otherArguments(const Setting &setting) {
  Statement s(db_, R"(
    SELECT r.args FROM run r
    WHERE r.kernel = ?1 AND r.kernel_hash = ?2 AND r.target = ?3 AND r.device = ?4 AND r.driver = ?5
      AND (?6 = '' OR r.build = ?6) AND r.mode = ?7 AND r.shape = ?8 AND r.args <> ?9
      AND EXISTS (SELECT 1 FROM measurement m WHERE m.run = r.id AND m.stage = 'search' AND m.status = 'ok')
    GROUP BY r.args ORDER BY MAX(r.started) DESC, MAX(r.rowid) DESC)");
  bindSetting(s, 1, setting);
  std::vector<std::string> result;
  while (s.step())
    result.push_back(s.text(0));
  return result;
}

bool Ledger::merge(const std::string &path, size_t &runsAdded, size_t &rowsAdded, std::string &error) {
  // Opened by itself first: a file that is no ledger, or of another version, is refused with a reason.
  if (FILE *f = std::fopen(path.c_str(), "rb")) {
    std::fclose(f);
  } else {
    error = "cannot read '" + path + "'";
    return false;
  }
  const auto source = openToRead(path, error);
  if (!source)
    return false;
  Statement attach(db_, "ATTACH ? AS other");
  attach.bind(1, source->name_);
  if (!attach.finish(error))
    return false;
  auto copy = [&](const char *sql, size_t &added) {
    bool ok = execute(sql, error);
    added += ok ? static_cast<size_t>(sqlite3_changes(db_)) : 0;
    return ok;
  };
  size_t finishes = 0;
  std::string ignored;
  bool ok = execute("BEGIN IMMEDIATE", error) &&
            copy("INSERT OR IGNORE INTO main.run SELECT * FROM other.run", runsAdded) &&
            copy("INSERT OR IGNORE INTO main.measurement SELECT * FROM other.measurement", rowsAdded) &&
            copy("INSERT OR IGNORE INTO main.finish SELECT * FROM other.finish", finishes) &&
            execute("COMMIT", error);
  if (!ok)
    execute("ROLLBACK", ignored);
  execute("DETACH other", ignored);
  if (!ok)
    error = "adding '" + path + "': " + error;
  return ok;
}

} // namespace phobos::kbench
