//! Compilations that were done elsewhere.

use std::borrow::Cow;
use std::sync::Arc;

/// The workspace lay in another folder when this was compiled. Both folders end with a slash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Where it was.
    pub from: Arc<str>,
    /// Where it is.
    pub to: Arc<str>,
}

impl Moved {
    /// A path that the compiler printed then, as it would print it now.
    pub fn path<'a>(&self, printed: &'a str) -> Cow<'a, str> {
        match printed.strip_prefix(&*self.from) {
            Some(rest) => format!("{}{rest}", self.to).into(),
            None => printed.into(),
        }
    }

    /// A text that the compiler printed then, as it would print it now.
    pub fn text(&self, printed: &str) -> String {
        printed.replace(&*self.from, &self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lay_in_the_workspace_is_elsewhere_now() {
        let moved = Moved { from: "/a/w/".into(), to: "/b/".into() };
        assert_eq!(moved.path("/a/w/k.cu"), "/b/k.cu");
        for same in ["/a/wk.cu", "/x/a/w/k.cu", "k.cu"] {
            assert_eq!(moved.path(same), same);
        }
        assert_eq!(moved.text("\"/a/w/k.cu\" /usr/h.h"), "\"/b/k.cu\" /usr/h.h");
    }
}
