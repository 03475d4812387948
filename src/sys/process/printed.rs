//! What a child prints, and how much of it there may be.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// The files that a child's streams go to.
pub(super) struct Printed {
    pub(super) streams: [File; 2],
    /// Bytes that each may have.
    pub(super) most: u64,
}

impl Printed {
    /// Whether a stream has more than it may. One whose length cannot be told is found out when it is read.
    pub(super) fn too_much(&self) -> bool {
        self.streams.iter().any(|file| file.metadata().is_ok_and(|file| file.len() > self.most))
    }

    /// Gives the disk back what is beyond the limit.
    pub(super) fn cut(&self) {
        for file in
            self.streams.iter().filter(|file| file.metadata().is_ok_and(|file| file.len() > self.most))
        {
            // A file that cannot be cut is only longer: nothing reads it.
            let _ = file.set_len(self.most);
        }
    }

    /// What was printed, lossily decoded: standard output, standard error. Nothing is read beyond the limit, whatever
    /// still writes.
    pub(super) fn text(&self) -> io::Result<[String; 2]> {
        let read = |mut file: &File| -> io::Result<String> {
            file.seek(SeekFrom::Start(0))?;
            let mut bytes = Vec::new();
            file.take(self.most).read_to_end(&mut bytes)?;
            let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Ok(String::from_utf8(bytes).unwrap_or_else(|error| lossy(error.as_bytes())))
        };
        let [stdout, stderr] = &self.streams;
        Ok([read(stdout)?, read(stderr)?])
    }
}
