//! The class that is derived: its forms (one of a struct, one for each variant) and their fields, checked.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Index, LitStr, Member, Path, Result, Type};

use crate::attributes::{ContainerAttributes, DefaultValue, FieldAttributes, VariantAttributes};

pub(crate) struct Input<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) attributes: ContainerAttributes,
    pub(crate) is_enum: bool,
    pub(crate) forms: Vec<Form<'a>>,
}

/// A struct, or one variant of an enum.
pub(crate) struct Form<'a> {
    pub(crate) variant: Option<&'a Ident>,
    /// What the variant adds to the name of the class.
    pub(crate) suffix: String,
    pub(crate) fields: Vec<Field<'a>>,
}

pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
    pub(crate) role: Role,
}

pub(crate) enum Role {
    Key { key: String, aliases: Vec<String>, default: Option<DefaultValue>, custom: bool },
    Skip(Option<DefaultValue>),
    Flatten,
    Base,
}

impl<'a> Input<'a> {
    pub(crate) fn new(input: &'a DeriveInput) -> Result<Self> {
        let attributes = ContainerAttributes::parse(&input.attrs)?;
        let mut errors = Errors::default();
        for lifetime in input.generics.lifetimes() {
            errors.add(Error::new_spanned(lifetime, "a class owns its values: it has no lifetimes"));
        }
        let forms = match &input.data {
            Data::Struct(data) => vec![Form::new(None, String::new(), &data.fields, &mut errors)],
            Data::Enum(data) => {
                let mut forms = Vec::new();
                for variant in &data.variants {
                    let attributes = errors.take(VariantAttributes::parse(&variant.attrs));
                    let rename = attributes.and_then(|attributes| attributes.rename);
                    let suffix = rename.as_ref().map_or_else(|| plain(&variant.ident), LitStr::value);
                    forms.push(Form::new(Some(&variant.ident), suffix, &variant.fields, &mut errors));
                }
                forms
            }
            Data::Union(data) => {
                return Err(Error::new_spanned(data.union_token, "a union can't be a class: its value is not known"));
            }
        };
        if forms.is_empty() {
            errors.add(Error::new_spanned(&input.ident, "an enum without variants has no values"));
        }
        let mut suffixes: Vec<&str> = Vec::new();
        for form in &forms {
            if suffixes.contains(&form.suffix.as_str()) {
                let span = form.variant.map_or_else(Span::call_site, Spanned::span);
                errors.add(Error::new(span, format!("two variants are called {:?}", form.suffix)));
            }
            suffixes.push(&form.suffix);
        }
        errors.finish()?;
        let is_enum = matches!(input.data, Data::Enum(_));
        Ok(Input { ident: &input.ident, generics: &input.generics, attributes, is_enum, forms })
    }

    /// The crate's path.
    pub(crate) fn krate(&self) -> Path {
        self.attributes.krate.clone().unwrap_or_else(|| syn::parse_quote!(::marshal))
    }

    /// The class's name, without type arguments.
    pub(crate) fn name(&self) -> String {
        self.attributes.name.as_ref().map_or_else(|| plain(self.ident), LitStr::value)
    }
}

impl<'a> Form<'a> {
    fn new(variant: Option<&'a Ident>, suffix: String, fields: &'a Fields, errors: &mut Errors) -> Self {
        let mut form = Form { variant, suffix, fields: Vec::new() };
        let mut keys: Vec<String> = Vec::new();
        let mut next_index = 0;
        for (position, field) in fields.iter().enumerate() {
            let Some(attributes) = errors.take(FieldAttributes::parse(&field.attrs)) else { continue };
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index { index: position as u32, span: field.span() }),
            };
            let role = if attributes.skip.is_some() {
                Role::Skip(attributes.default)
            } else if let Some(path) = attributes.flatten {
                if variant.is_some() || field.ident.is_none() {
                    errors.add(Error::new_spanned(path, "only a struct with named fields flattens one of them"));
                }
                Role::Flatten
            } else if let Some(path) = attributes.base {
                if form.fields.iter().any(|field| matches!(field.role, Role::Base)) {
                    errors.add(Error::new_spanned(&path, "a class has one base"));
                }
                if variant.is_some() {
                    errors.add(Error::new_spanned(&path, "a variant has no base"));
                }
                Role::Base
            } else {
                let key = match (&attributes.rename, &field.ident) {
                    (Some(rename), _) => rename.value(),
                    (None, Some(ident)) => plain(ident),
                    (None, None) => next_index.to_string(),
                };
                next_index += 1;
                let aliases: Vec<String> = attributes.aliases.iter().map(LitStr::value).collect();
                let written = attributes.rename.iter().chain(&attributes.aliases);
                for literal in written.filter(|literal| is_array_index(&literal.value()) && field.ident.is_some()) {
                    errors
                        .add(Error::new_spanned(literal, "a key that is an array index would come before all others"));
                }
                for key in [&key].into_iter().chain(&aliases) {
                    if keys.contains(key) {
                        let message = format!("the key {key:?} stands twice");
                        errors.add(
                            match attributes.rename.iter().chain(&attributes.aliases).find(|l| l.value() == *key) {
                                Some(literal) => Error::new_spanned(literal, message),
                                None => Error::new_spanned(field, message),
                            },
                        );
                    }
                    keys.push(key.clone());
                }
                Role::Key { key, aliases, default: attributes.default, custom: attributes.custom }
            };
            form.fields.push(Field { member, ty: &field.ty, role });
        }
        form
    }

    pub(crate) fn base(&self) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| matches!(field.role, Role::Base))
    }
}

/// An identifier without the `r#` of a raw one.
fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// ECMA-262's array index: the canonical text of an integer below 2³²−1.
fn is_array_index(key: &str) -> bool {
    key.parse::<u32>().is_ok_and(|index| index != u32::MAX && index.to_string() == key)
}

/// All errors of one input, so that a user sees them at once.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
