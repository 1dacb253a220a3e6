// Standard output of every tool: opened before, judged after, in one place.
#pragma once

namespace phobos::tools {

/// Gives a closed standard input, output or error a descriptor on which reading and writing fail, so that no
/// file that the tool opens takes its number and receives what was meant for a terminal.
void holdStandardStreams();

/// Flushes standard output. Returns `status`, or 3 with E0906 where something of a successful tool's output
/// could not be written; a reader that has gone away (EPIPE) is not told.
int finishOutput(int status, bool jsonDiagnostics);

} // namespace phobos::tools
