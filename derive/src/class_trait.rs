//! `#[class_trait]`: what makes `dyn Trait` something that can be behind a pointer.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Error, Ident, ItemTrait, Path, Result, TypeParamBound, parse_quote};

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
    let has = |wanted: &str| item.supertraits.iter().any(|bound| is_trait(bound, wanted));
    let (sync_node, register_sync) =
        if has("Send") && has("Sync") { sync(name, &class, &krate) } else { Default::default() };
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
            #register_sync
        }

        #sync_node
    };
    let supertrait = parse_quote!(#class::InstanceOf<#tag>);
    item.supertraits.push(supertrait);
    let mut tokens = item.into_token_stream();
    tokens.extend(tail);
    Ok(tokens)
}

/// Whether a supertrait is the trait of this name.
fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    }
}

/// What lets the trait object be behind a `SyncShared`: its own items, and those of `Implements`.
fn sync(name: &Ident, class: &TokenStream, krate: &Path) -> (TokenStream, TokenStream) {
    let object = quote!(dyn #name);
    let node = quote!(dyn #class::SyncNodeOf<#object> + ::core::marker::Send + ::core::marker::Sync);
    let items = quote! {
        impl #class::SyncPointee for #object {
            type SyncNode = #node;
            fn read_sync(
                from: &mut #class::Reader<'_>,
            ) -> ::core::result::Result<::std::sync::Arc<Self::SyncNode>, #krate::Error> {
                #class::read_sync_object::<#object>(from)
            }
            fn copy_sync(
                node: &::std::sync::Arc<Self::SyncNode>,
                copier: &mut #class::Copier,
            ) -> ::core::result::Result<::std::sync::Arc<Self::SyncNode>, #krate::Error> {
                <#node as #class::SyncNodeOf<#object>>::copy_object(::std::sync::Arc::clone(node), copier)
            }
        }

        impl<__C: #name + #krate::Class> #class::SyncNodeOf<#object> for #class::SyncNode<__C> {
            fn content(&self) -> ::core::option::Option<&(#object + 'static)> {
                match #class::SyncNodeOf::<__C>::content(self) {
                    ::core::option::Option::Some(value) => ::core::option::Option::Some(value),
                    ::core::option::Option::None => ::core::option::Option::None,
                }
            }
            fn erase(self: ::std::sync::Arc<Self>) -> ::std::sync::Arc<dyn ::core::any::Any> {
                self
            }
            fn target(self: ::std::sync::Arc<Self>) -> ::std::sync::Arc<dyn #class::Target> {
                self
            }
            fn declare(&self, to: &mut #class::Writer) {
                #class::declare_sync::<__C, #object>(to);
            }
            fn copy_object(
                self: ::std::sync::Arc<Self>,
                copier: &mut #class::Copier,
            ) -> ::core::result::Result<::std::sync::Arc<#node>, #krate::Error> {
                #class::copy_sync_as::<__C, #object>(self, copier)
            }
        }

        impl<__C: #name + #krate::Class> #class::SyncImplements<#object> for #class::SyncNode<__C> {
            fn upcast(node: ::std::sync::Arc<Self>) -> ::std::sync::Arc<#node> {
                node
            }
        }
    };
    let register = quote! {
        fn register_sync(classes: &mut #krate::Classes) {
            #class::register_sync::<__C, #object>(classes);
        }
        fn register_sync_fallback<__E: ::core::fmt::Display>(
            make: impl ::core::ops::Fn(#class::Data) -> ::core::result::Result<__C, __E>
                + ::core::marker::Send + ::core::marker::Sync + 'static,
            classes: &mut #krate::Classes,
        ) {
            #class::register_sync_fallback::<__C, #object, __E>(make, classes);
        }
    };
    (items, register)
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
