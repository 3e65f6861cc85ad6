//! The attributes that a user writes, and what is wrong with them. Knows nothing of what they are for.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, LitInt, LitStr, Path, Result, Type};

/// `#[class(…)]` on a struct or enum.
#[derive(Default)]
pub(crate) struct ContainerAttributes {
    pub(crate) name: Option<LitStr>,
    pub(crate) version: Option<u32>,
    pub(crate) previous: Option<Type>,
    pub(crate) migrate: Option<Path>,
    pub(crate) restored: Option<Path>,
    pub(crate) refuse_unknown: bool,
    pub(crate) krate: Option<Path>,
}

/// `#[class(…)]` on a field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) rename: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) skip: Option<Path>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) flatten: Option<Path>,
    pub(crate) base: Option<Path>,
    pub(crate) custom: bool,
}

/// What a field is when the message does not have it.
pub(crate) enum DefaultValue {
    /// `Default::default()`
    Type,
    Expr(Box<Expr>),
}

/// `#[class(…)]` on a variant.
#[derive(Default)]
pub(crate) struct VariantAttributes {
    pub(crate) rename: Option<LitStr>,
}

impl ContainerAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("name") {
                once(&meta, &parsed.name)?;
                parsed.name = Some(name(&meta)?);
            } else if meta.path.is_ident("version") {
                once(&meta, &parsed.version)?;
                let number: LitInt = meta.value()?.parse()?;
                parsed.version = Some(number.base10_parse()?);
            } else if meta.path.is_ident("previous") {
                once(&meta, &parsed.previous)?;
                parsed.previous = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("migrate") {
                once(&meta, &parsed.migrate)?;
                parsed.migrate = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("restored") {
                once(&meta, &parsed.restored)?;
                parsed.restored = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("refuse_unknown") {
                parsed.refuse_unknown = true;
            } else if meta.path.is_ident("crate") {
                parsed.krate = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error(
                    "unknown attribute; a class has: name, version, previous, migrate, restored, refuse_unknown, crate",
                ));
            }
            Ok(())
        })?;
        if let (Some(migrate), None) = (&parsed.migrate, &parsed.previous) {
            return Err(Error::new_spanned(migrate, "`migrate` needs `previous`, the type of the version before"));
        }
        if let (Some(previous), None | Some(0)) = (&parsed.previous, parsed.version) {
            return Err(Error::new_spanned(previous, "`previous` needs a `version` of 1 or more"));
        }
        Ok(parsed)
    }
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("rename") {
                once(&meta, &parsed.rename)?;
                parsed.rename = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("alias") {
                parsed.aliases.push(meta.value()?.parse()?);
            } else if meta.path.is_ident("skip") {
                parsed.skip = Some(meta.path);
            } else if meta.path.is_ident("default") {
                once(&meta, &parsed.default)?;
                parsed.default = Some(match meta.value() {
                    Ok(value) => DefaultValue::Expr(Box::new(value.parse()?)),
                    Err(_) => DefaultValue::Type,
                });
            } else if meta.path.is_ident("flatten") {
                parsed.flatten = Some(meta.path);
            } else if meta.path.is_ident("base") {
                parsed.base = Some(meta.path);
            } else if meta.path.is_ident("custom") {
                parsed.custom = true;
            } else {
                return Err(
                    meta.error("unknown attribute; a field has: rename, alias, skip, default, flatten, base, custom")
                );
            }
            Ok(())
        })?;
        for (alone, what) in [(&parsed.flatten, "flatten"), (&parsed.base, "base"), (&parsed.skip, "skip")] {
            if let Some(path) = alone {
                let others = [&parsed.flatten, &parsed.base, &parsed.skip].into_iter().flatten().count();
                let is_named = parsed.rename.is_some() || !parsed.aliases.is_empty() || parsed.custom;
                if others > 1 || is_named || (what != "skip" && parsed.default.is_some()) {
                    let message = format!("`{what}` goes with no other attribute of a field, as the field has no key");
                    return Err(Error::new_spanned(path, message));
                }
            }
        }
        Ok(parsed)
    }
}

impl VariantAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("rename") {
                once(&meta, &parsed.rename)?;
                parsed.rename = Some(name(&meta)?);
                Ok(())
            } else {
                Err(meta.error("unknown attribute; a variant has: rename"))
            }
        })?;
        Ok(parsed)
    }
}

fn each(attributes: &[Attribute], mut parse: impl FnMut(ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("class"))
        .try_for_each(|attribute| attribute.parse_nested_meta(&mut parse))
}

fn once<T>(meta: &ParseNestedMeta<'_>, before: &Option<T>) -> Result<()> {
    if before.is_some() { Err(meta.error("stands twice")) } else { Ok(()) }
}

/// The name of a class, which is not empty.
fn name(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let name: LitStr = meta.value()?.parse()?;
    if name.value().is_empty() { Err(Error::new_spanned(name, "the name of a class is not empty")) } else { Ok(name) }
}
