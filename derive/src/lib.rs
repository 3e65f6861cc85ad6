//! `#[derive(Class)]` for the crate `js-marshal`, which re-exports it and documents its attributes.

mod attributes;
mod class_trait;
mod expand;
mod input;

use proc_macro::TokenStream;

/// Makes a struct or an enum a class that `marshal` encodes and restores; see `marshal::Class`.
#[proc_macro_derive(Class, attributes(class))]
pub fn derive_class(tokens: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(tokens as syn::DeriveInput);
    match input::Input::new(&input) {
        Ok(input) => expand::expand(&input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// Lets a trait stand behind `Shared` and `Box` in classes, as `Shared<dyn Animal>`; see `marshal::class_trait`.
#[proc_macro_attribute]
pub fn class_trait(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let attributes = proc_macro2::TokenStream::from(attributes);
    match class_trait::expand(attributes, item.into()) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.into_compile_error().into(),
    }
}
