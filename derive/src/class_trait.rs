//! `#[class_trait]`: what makes `dyn Trait` something that can be behind a pointer.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Error, ItemTrait, Path, Result, parse_quote};

pub(crate) fn expand(attributes: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let krate: Path =
        if attributes.is_empty() { parse_quote!(::marshal) } else { syn::parse2::<CratePath>(attributes)?.0 };
    let mut item: ItemTrait = syn::parse2(item)?;
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(&item.generics, "a trait with parameters is not one trait object"));
    }
    let (name, vis) = (&item.ident, &item.vis);
    let tag = format_ident!("__{}Object", name);
    let class = quote!(#krate::class);
    let text = name.to_string();
    let tail = quote! {
        #[doc(hidden)]
        #[derive(Debug)]
        #vis struct #tag;

        impl #class::TraitTag for #tag {
            type Object = dyn #name;
        }

        impl #class::Pointee for dyn #name {
            type Node = dyn #class::NodeOf<dyn #name>;
            fn pointee_name() -> ::std::string::String {
                ::std::string::String::from(concat!("dyn ", #text))
            }
            fn read_shared(
                from: &mut #class::Reader<'_>,
            ) -> ::core::result::Result<::std::rc::Rc<Self::Node>, #krate::Error> {
                #class::read_shared_object::<dyn #name>(from)
            }
            fn copy_shared(
                node: &::std::rc::Rc<Self::Node>,
                copier: &mut #class::Copier,
            ) -> ::core::result::Result<::std::rc::Rc<Self::Node>, #krate::Error> {
                <dyn #class::NodeOf<dyn #name>>::copy_object(::std::rc::Rc::clone(node), copier)
            }
            fn write_boxed(&self, to: &mut #class::Writer) -> ::core::result::Result<(), #krate::Error> {
                #class::InstanceOf::<#tag>::write_instance(self, to)
            }
            fn read_boxed(
                from: &mut #class::Reader<'_>,
            ) -> ::core::result::Result<::std::boxed::Box<Self>, #krate::Error> {
                #class::read_boxed_object::<dyn #name>(from)
            }
            fn copy_boxed(
                &self,
                copier: &mut #class::Copier,
            ) -> ::core::result::Result<::std::boxed::Box<Self>, #krate::Error> {
                #class::InstanceOf::<#tag>::copy_instance(self, copier)
            }
        }

        impl<__C: #name + #krate::Class> #class::NodeOf<dyn #name> for #class::Node<__C> {
            fn content(&self) -> ::core::option::Option<&(dyn #name + 'static)> {
                match #class::NodeOf::<__C>::content(self) {
                    ::core::option::Option::Some(value) => ::core::option::Option::Some(value),
                    ::core::option::Option::None => ::core::option::Option::None,
                }
            }
            fn erase(self: ::std::rc::Rc<Self>) -> ::std::rc::Rc<dyn #class::AnyNode> {
                self
            }
            fn target(self: ::std::rc::Rc<Self>) -> ::std::rc::Rc<dyn #class::Target> {
                self
            }
            fn declare(&self, to: &mut #class::Writer) {
                #class::declare::<__C, dyn #name>(to);
            }
            fn copy_object(
                self: ::std::rc::Rc<Self>,
                copier: &mut #class::Copier,
            ) -> ::core::result::Result<::std::rc::Rc<dyn #class::NodeOf<dyn #name>>, #krate::Error> {
                #class::copy_shared_as::<__C, dyn #name>(self, copier)
            }
        }

        impl<__C: #name + #krate::Class> #class::Implements<dyn #name> for #class::Node<__C> {
            type Class = __C;
            fn upcast(node: ::std::rc::Rc<Self>) -> ::std::rc::Rc<dyn #class::NodeOf<dyn #name>> {
                node
            }
            fn unsize(value: ::std::boxed::Box<__C>) -> ::std::boxed::Box<dyn #name> {
                value
            }
        }
    };
    let supertrait = parse_quote!(#class::InstanceOf<#tag>);
    item.supertraits.push(supertrait);
    let mut tokens = item.into_token_stream();
    tokens.extend(tail);
    Ok(tokens)
}

/// `crate = path`
struct CratePath(Path);

impl syn::parse::Parse for CratePath {
    fn parse(input: syn::parse::ParseStream<'_>) -> Result<Self> {
        input.parse::<syn::Token![crate]>()?;
        input.parse::<syn::Token![=]>()?;
        Ok(CratePath(input.call(Path::parse_mod_style)?))
    }
}
