//! Units compiled device-only, each with its own folder, in parallel.
