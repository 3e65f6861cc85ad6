//! Strings.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::class::{Copier, Field, Identity, Items, Reader, Rest, Writer};
use crate::error::{Error, ErrorKind};
use crate::wire::tag;

macro_rules! strings {
    ($($type:ty, $name:literal;)*) => {
        $(impl Field for $type {
            const IDENTITY: Identity = Identity::Boxed;

            fn type_name() -> String {
                $name.to_owned()
            }

            #[inline]
            fn write(&self, to: &mut Writer) -> Result<(), Error> {
                to.message.string(self);
                Ok(())
            }

            const ITEMS: usize = 1;

            #[inline(always)]
            fn gather(&self, items: &mut Items, to: &mut Writer) -> Result<(), Error> {
                let len = self.len() as u64;
                if len > tag::STRING_MAX {
                    return items.pass(to, |to| self.write(to));
                }
                items.tag(tag::STRING + len as u8);
                to.message.text.append(self.as_bytes());
                Ok(())
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
                from.string("a string").map(|text| text.into_owned().into())
            }

            #[inline(always)]
            fn take<'a>(rest: &mut Rest<'a>, from: &mut Reader<'a>) -> Result<Self, Error> {
                match rest.string(from) {
                    Some(text) => Ok(text.to_owned().into()),
                    None => rest.read_seldom(from),
                }
            }

            #[inline]
            fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
                Ok(String::from(&**self).into())
            }
        })*
    };
}

strings! {
    String, "String";
    Box<str>, "Box<str>";
    Rc<str>, "Rc<str>";
    Arc<str>, "Arc<str>";
    Cow<'static, str>, "Cow<str>";
}

/// A string of one character.
impl Field for char {
    const IDENTITY: Identity = Identity::Boxed;

    fn type_name() -> String {
        "char".to_owned()
    }

    fn write(&self, to: &mut Writer) -> Result<(), Error> {
        to.message.string(self.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let at = from.source.structure.offset();
        let text = from.string("a string of one character")?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            _ => Err(Error::new(ErrorKind::WrongType, "expected a string of one character").at_offset(at)),
        }
    }

    fn copy(&self, _: &mut Copier) -> Result<Self, Error> {
        Ok(*self)
    }
}
