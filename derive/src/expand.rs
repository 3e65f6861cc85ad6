//! The implementation that is written for a class.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Member, Path, parse_quote};

use crate::attributes::DefaultValue;
use crate::input::{Field, Form, Input, Role};

pub(crate) fn expand(input: &Input<'_>) -> TokenStream {
    let krate = input.krate();
    let ident = input.ident;
    let generics = bounded(input.generics, &krate);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let parts = Parts { input, class: quote!(#krate::class) };
    let class = &parts.class;

    let type_name = parts.type_name();
    let describe = parts.describe();
    let (items, write) = (parts.items(), parts.write());
    let copy = parts.copy();
    let (take, read_opened) = (parts.take(), parts.read_opened());
    let fields = parts.fields(&impl_generics, &type_generics, where_clause);
    quote! {
        #[automatically_derived]
        impl #impl_generics #class::Field for #ident #type_generics #where_clause {
            const IDENTITY: #class::Identity = #class::Identity::Own;
            const ITEMS: usize = #items;
            fn type_name() -> ::std::string::String { #type_name }
            fn write(&self, __to: &mut #class::Writer) -> ::core::result::Result<(), #krate::Error> {
                let mut __gathered = #class::Items::of(__to);
                let __items = &mut __gathered;
                #write
                __gathered.append(__to);
                ::core::result::Result::Ok(())
            }
            #[inline(always)]
            fn gather(
                &self,
                __items: &mut #class::Items,
                __to: &mut #class::Writer,
            ) -> ::core::result::Result<(), #krate::Error> {
                if <Self as #class::Field>::ITEMS == 0 {
                    return __items.pass(__to, |__to| #class::Field::write(self, __to));
                }
                #write
                ::core::result::Result::Ok(())
            }
            fn read(__from: &mut #class::Reader<'_>) -> ::core::result::Result<Self, #krate::Error> {
                let mut __head = __from.rest();
                let __rest = &mut __head;
                let __value = #take;
                __from.resume(__head);
                ::core::result::Result::Ok(__value)
            }
            #[inline(always)]
            fn take<'__a>(
                __rest: &mut #class::Rest<'__a>,
                __from: &mut #class::Reader<'__a>,
            ) -> ::core::result::Result<Self, #krate::Error> {
                if <Self as #class::Field>::ITEMS == 0 {
                    return __rest.read(__from);
                }
                ::core::result::Result::Ok(#take)
            }
            fn copy(&self, __copier: &mut #class::Copier) -> ::core::result::Result<Self, #krate::Error> { #copy }
        }
        #[automatically_derived]
        impl #impl_generics #class::Class for #ident #type_generics #where_clause {
            fn describe(__about: &mut #class::Description) { #describe }
            fn read_opened(
                __opened: #class::Opened,
                __from: &mut #class::Reader<'_>,
            ) -> ::core::result::Result<Self, #krate::Error> { #read_opened }
        }
        #fields
    }
}

/// The generics, with each type parameter a field.
fn bounded(generics: &Generics, krate: &Path) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        if let syn::GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(#krate::class::Field));
        }
    }
    generics
}

struct Parts<'a> {
    input: &'a Input<'a>,
    /// The path of the module `class`.
    class: TokenStream,
}

/// Where a field's key stands among those of its form: a number and what flattened fields add to it.
struct Slots {
    next: usize,
    flattened: TokenStream,
}

impl Slots {
    fn new() -> Self {
        Slots { next: 0, flattened: TokenStream::new() }
    }

    fn here(&self) -> TokenStream {
        let (next, flattened) = (self.next, &self.flattened);
        quote!(__first + #next #flattened)
    }

    /// The slot of this field, and on to the next.
    fn step(&mut self, field: &Field<'_>, class: &TokenStream) -> TokenStream {
        let here = self.here();
        match field.role {
            Role::Key { .. } => self.next += 1,
            Role::Flatten => {
                let ty = field.ty;
                self.flattened.extend(quote!(+ <#ty as #class::Flatten>::COUNT));
            }
            Role::Skip(_) | Role::Base => {}
        }
        here
    }
}

impl Parts<'_> {
    /// Whether others can flatten it: a struct with named fields and no base.
    fn flattens(&self) -> bool {
        let form = &self.input.forms[0];
        let is_named = form.fields.iter().all(|field| matches!(field.member, Member::Named(_)));
        !self.input.is_enum && form.base().is_none() && is_named && !form.fields.is_empty()
    }

    fn type_name(&self) -> TokenStream {
        let (name, class) = (self.input.name(), &self.class);
        let types: Vec<_> = self.input.generics.type_params().map(|parameter| &parameter.ident).collect();
        if types.is_empty() {
            return quote!(::std::string::String::from(#name));
        }
        quote!(#class::generic_name(#name, &[#(<#types as #class::Field>::type_name()),*]))
    }

    fn describe(&self) -> TokenStream {
        let class = &self.class;
        let version = self.input.attributes.version.unwrap_or(0);
        let refuse_unknown = self.input.attributes.refuse_unknown;
        let forms = self.input.forms.iter().map(|form| {
            let (suffix, derived) = (&form.suffix, form.base().is_some());
            let keys = if self.flattens() {
                quote!(<Self as #class::Flatten>::describe_fields(__about);)
            } else {
                self.describe_fields(form)
            };
            let base = form.base().map(|field| {
                let ty = field.ty;
                quote_spanned!(at(ty)=> __about.base::<#ty>();)
            });
            quote! {
                __about.form(#suffix, #derived);
                #base
                #keys
            }
        });
        quote! {
            __about.class(<Self as #class::Field>::type_name(), #version, #refuse_unknown);
            #(#forms)*
        }
    }

    fn describe_fields(&self, form: &Form<'_>) -> TokenStream {
        let class = &self.class;
        let keys = form.fields.iter().filter_map(|field| match &field.role {
            Role::Key { key, aliases, .. } => Some(quote!(__about.key(#key, &[#(#aliases),*]);)),
            Role::Flatten => {
                let ty = field.ty;
                Some(quote_spanned!(at(ty)=> <#ty as #class::Flatten>::describe_fields(__about);))
            }
            Role::Skip(_) | Role::Base => None,
        });
        quote!(#(#keys)*)
    }

    /// How many items an instance is, all variants together, where it is gathered: one of few small fields.
    fn items(&self) -> TokenStream {
        let class = &self.class;
        let fields = self.input.forms.iter().flat_map(|form| &form.fields).map(|field| match field.role {
            Role::Key { custom: false, .. } => {
                let ty = field.ty;
                quote!(<#ty as #class::Field>::ITEMS)
            }
            _ => quote!(0),
        });
        quote!(#class::items_of(&[#(#fields),*]))
    }

    fn write(&self) -> TokenStream {
        let class = &self.class;
        let numbers = self.input.forms.iter().enumerate().map(|(number, form)| {
            let path = self.path(form);
            quote!(#path { .. } => #number,)
        });
        let arms = self.input.forms.iter().map(|form| {
            let pattern = self.pattern(form);
            let base = form.base().map(|field| {
                let (ty, name) = (field.ty, binding(field));
                quote_spanned!(at(ty)=> <#ty as #class::Field>::gather(#name, __items, __to)?;)
            });
            let fields = self.write_fields(form);
            quote!(#pattern => { #base #fields })
        });
        quote! {
            let __form: usize = match self { #(#numbers)* };
            __to.instance::<Self>(__form, __items)?;
            match self { #(#arms)* }
        }
    }

    fn write_fields(&self, form: &Form<'_>) -> TokenStream {
        let class = &self.class;
        let fields = form.fields.iter().filter_map(|field| {
            let (ty, name) = (field.ty, binding(field));
            match field.role {
                Role::Key { custom: true, .. } => Some(quote_spanned!(at(ty)=> __to.custom::<#ty>(#name, __items)?;)),
                Role::Key { .. } => {
                    Some(quote_spanned!(at(ty)=> <#ty as #class::Field>::gather(#name, __items, __to)?;))
                }
                Role::Flatten => {
                    Some(quote_spanned!(at(ty)=> <#ty as #class::Flatten>::write_fields(#name, __items, __to)?;))
                }
                Role::Skip(_) | Role::Base => None,
            }
        });
        quote!(#(#fields)*)
    }

    fn copy(&self) -> TokenStream {
        let class = &self.class;
        let arms = self.input.forms.iter().map(|form| {
            let (pattern, path) = (self.pattern(form), self.path(form));
            let fields = form.fields.iter().map(|field| {
                let (member, ty, name) = (&field.member, field.ty, binding(field));
                match &field.role {
                    Role::Skip(default) => {
                        let value = default_value(default.as_ref());
                        quote!(#member: #value,)
                    }
                    Role::Key { custom: true, .. } => {
                        quote_spanned!(at(ty)=> #member: <#ty as ::core::clone::Clone>::clone(#name),)
                    }
                    _ => quote_spanned!(at(ty)=> #member: <#ty as #class::Field>::copy(#name, __copier)?,),
                }
            });
            quote!(#pattern => #path { #(#fields)* },)
        });
        let restored = self.restored(quote!(__copier));
        quote! {
            #[allow(unused_mut)]
            let mut __value = match self { #(#arms)* };
            #restored
            ::core::result::Result::Ok(__value)
        }
    }

    /// A value of any form, if its fields stand in turn; else through `read_opened`.
    fn take(&self) -> TokenStream {
        let class = &self.class;
        let arms = self.input.forms.iter().enumerate().map(|(number, form)| {
            let value = self.take_form(form);
            quote!(#number => #value,)
        });
        let restored = self.restored(quote!(__from));
        let restored = if restored.is_empty() { restored } else { quote!(__from.resume(*__rest); #restored) };
        quote! {
            match __from.begin::<Self>(__rest) {
                ::core::option::Option::Some(__form) => {
                    #[allow(unused_mut)]
                    let mut __value = match __form {
                        #(#arms)*
                        _ => return ::core::result::Result::Err(__from.no_form::<Self>()),
                    };
                    #restored
                    __value
                }
                ::core::option::Option::None => __rest.pass(__from, #class::Reader::instance::<Self>)?,
            }
        }
    }

    /// The same of one form.
    fn take_form(&self, form: &Form<'_>) -> TokenStream {
        let (path, class) = (self.path(form), &self.class);
        let base = form.base().map(|field| {
            let ty = field.ty;
            quote_spanned!(at(ty)=> let __base = <#ty as #class::Field>::take(__rest, __from)?;)
        });
        let fields = form.fields.iter().map(|field| {
            let (member, ty) = (&field.member, field.ty);
            let value = match &field.role {
                Role::Key { custom: true, .. } => {
                    quote_spanned!(at(ty)=> __rest.pass(__from, #class::Reader::custom::<#ty>)?)
                }
                Role::Key { .. } => quote_spanned!(at(ty)=> <#ty as #class::Field>::take(__rest, __from)?),
                Role::Skip(default) => default_value(default.as_ref()),
                Role::Flatten => quote_spanned!(at(ty)=> <#ty as #class::Flatten>::take_fields(__rest, __from)?),
                Role::Base => quote!(__base),
            };
            quote!(#member: #value,)
        });
        quote!({ #base #path { #(#fields)* } })
    }

    fn read_opened(&self) -> TokenStream {
        let class = &self.class;
        let previous = self.input.attributes.previous.as_ref().map(|previous| {
            let version = self.input.attributes.version.unwrap_or(0);
            let migrated = match &self.input.attributes.migrate {
                Some(migrate) => quote!(match #migrate(__old) {
                    ::core::result::Result::Ok(__new) => __new,
                    ::core::result::Result::Err(__error) => {
                        return ::core::result::Result::Err(__from.refused::<Self>(&__error));
                    }
                }),
                None => quote!(<Self as ::core::convert::From<#previous>>::from(__old)),
            };
            quote! {
                if __from.version(__opened) < #version {
                    let __old = <#previous as #class::Class>::read_opened(__opened, __from)?;
                    return ::core::result::Result::Ok(#migrated);
                }
            }
        });
        let arms = self.input.forms.iter().enumerate().map(|(number, form)| {
            let value = self.read_form(form);
            quote!(#number => #value,)
        });
        let restored = self.restored(quote!(__from));
        quote! {
            #previous
            let __instance = __from.plan::<Self>(__opened)?;
            let __first = 0usize;
            #[allow(unused_mut)]
            let mut __value = match __instance.form() {
                #(#arms)*
                _ => return ::core::result::Result::Err(__from.no_form::<Self>()),
            };
            __from.close(__instance)?;
            #restored
            ::core::result::Result::Ok(__value)
        }
    }

    /// A value of the form, its fields in the order in which they are declared.
    fn read_form(&self, form: &Form<'_>) -> TokenStream {
        let (path, class) = (self.path(form), &self.class);
        let mut slots = Slots::new();
        // The base comes first in the bytes.
        let base = form.base().map(|field| {
            let ty = field.ty;
            quote_spanned!(at(ty)=> let __base = __from.base::<#ty>(&__instance)?;)
        });
        let fields = form.fields.iter().map(|field| {
            let (member, ty) = (&field.member, field.ty);
            let slot = slots.step(field, class);
            let value = match &field.role {
                Role::Key { default, custom: true, .. } => {
                    let default = match default {
                        None => quote!(::core::option::Option::None),
                        default => {
                            let value = default_value(default.as_ref());
                            quote!(::core::option::Option::Some(|| #value))
                        }
                    };
                    quote_spanned!(at(ty)=> __from.custom_field::<#ty>(&__instance, #slot, #default)?)
                }
                Role::Key { default: None, .. } => {
                    quote_spanned!(at(ty)=> __from.field::<#ty>(&__instance, #slot)?)
                }
                Role::Key { default, .. } => {
                    let default = default_value(default.as_ref());
                    quote_spanned!(at(ty)=> __from.field_or::<#ty>(&__instance, #slot, || #default)?)
                }
                Role::Skip(default) => default_value(default.as_ref()),
                Role::Flatten => quote_spanned! {at(ty)=>
                    <#ty as #class::Flatten>::read_fields(__from, &__instance, #slot)?
                },
                Role::Base => quote!(__base),
            };
            quote!(#member: #value,)
        });
        quote!({ #base #path { #(#fields)* } })
    }

    fn restored(&self, engine: TokenStream) -> TokenStream {
        self.input.attributes.restored.as_ref().map_or_else(TokenStream::new, |restored| {
            quote_spanned! {at(restored)=>
                if let ::core::result::Result::Err(__error) = #restored(&mut __value) {
                    return ::core::result::Result::Err(#engine.refused::<Self>(&__error));
                }
            }
        })
    }

    /// What lets another class flatten this one.
    fn fields(
        &self,
        impl_generics: &syn::ImplGenerics<'_>,
        type_generics: &syn::TypeGenerics<'_>,
        where_clause: Option<&syn::WhereClause>,
    ) -> TokenStream {
        if !self.flattens() {
            return TokenStream::new();
        }
        let (class, krate, ident) = (&self.class, self.input.krate(), self.input.ident);
        let form = &self.input.forms[0];
        let mut slots = Slots::new();
        form.fields.iter().for_each(|field| drop(slots.step(field, class)));
        let (next, flattened) = (slots.next, &slots.flattened);
        let describe = self.describe_fields(form);
        let (pattern, write) = (self.pattern(form), self.write_fields(form));
        let (read, take) = (self.read_form(form), self.take_form(form));
        quote! {
            #[automatically_derived]
            impl #impl_generics #class::Flatten for #ident #type_generics #where_clause {
                const COUNT: usize = #next #flattened;
                fn describe_fields(__about: &mut #class::Description) { #describe }
                #[inline]
                fn write_fields(
                    &self,
                    __items: &mut #class::Items,
                    __to: &mut #class::Writer,
                ) -> ::core::result::Result<(), #krate::Error> {
                    match self { #pattern => { #write } }
                    ::core::result::Result::Ok(())
                }
                fn read_fields(
                    __from: &mut #class::Reader<'_>,
                    __instance: &#class::Instance,
                    __first: usize,
                ) -> ::core::result::Result<Self, #krate::Error> {
                    ::core::result::Result::Ok(#read)
                }
                #[inline]
                fn take_fields<'__a>(
                    __rest: &mut #class::Rest<'__a>,
                    __from: &mut #class::Reader<'__a>,
                ) -> ::core::result::Result<Self, #krate::Error> {
                    ::core::result::Result::Ok(#take)
                }
            }
        }
    }

    fn path(&self, form: &Form<'_>) -> TokenStream {
        form.variant.map_or_else(|| quote!(Self), |variant| quote!(Self::#variant))
    }

    /// A pattern that binds what is written of each field.
    fn pattern(&self, form: &Form<'_>) -> TokenStream {
        let path = self.path(form);
        let bindings = form.fields.iter().map(|field| {
            let (member, name) = (&field.member, binding(field));
            if matches!(field.role, Role::Skip(_)) { quote!(#member: _,) } else { quote!(#member: #name,) }
        });
        quote!(#path { #(#bindings)* })
    }
}

fn binding(field: &Field<'_>) -> syn::Ident {
    match &field.member {
        Member::Named(ident) => format_ident!("__field_{}", ident),
        Member::Unnamed(index) => format_ident!("__field_{}", index.index),
    }
}

fn default_value(default: Option<&DefaultValue>) -> TokenStream {
    match default {
        Some(DefaultValue::Expr(expr)) => quote!((#expr)),
        Some(DefaultValue::Type) | None => quote!(::core::default::Default::default()),
    }
}

/// Where `tokens` stand, for errors; names are still looked up as those that are written here, also where the tokens come
/// out of a user's macro.
fn at(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}
