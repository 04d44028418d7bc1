import type { Many, One, RequiredOne, Shape, Zone } from './content.ts'

type Target<Link> =
  Link extends One<infer Found extends Shape>
    ? Found
    : Link extends Many<infer Found extends Shape>
      ? Found
      : never

type LinkFilters<S extends Shape> = {
  readonly [
    Name in keyof S['populate'] as S['populate'][Name] extends Zone<object> ? never : Name
  ]?: Filters<Target<S['populate'][Name]>>
}

export type Filters<S extends Shape> = Partial<S['filters']> &
  LinkFilters<S> & {
    readonly $and?: readonly Filters<S>[]
    readonly $or?: readonly Filters<S>[]
    readonly $not?: Filters<S>
  }

/** Without computed attributes, which have no filters. */
type Names<S extends Shape> = keyof S['fields'] & keyof S['filters'] & string

type OnRequest<S extends Shape> = S extends { readonly onRequest: infer More } ? More : object

export type FieldName<S extends Shape> = (keyof S['fields'] | keyof OnRequest<S>) & string

type OneLinks<S extends Shape> = {
  [Name in keyof S['populate'] & string]: S['populate'][Name] extends One<Shape> ? Name : never
}[keyof S['populate'] & string]

type LinkedNames<S extends Shape> = {
  [Name in OneLinks<S>]: `${Name}.${Names<Target<S['populate'][Name]>>}`
}[OneLinks<S>]

type Directed<Name extends string> = Name | `${Name}:asc` | `${Name}:desc`

type LocationNames<S extends Shape> = {
  [Name in Names<S>]: '$near' extends keyof NonNullable<S['filters'][Name]> ? Name : never
}[Names<S>]

/** `near` sorts by the distance from the point of `$near`. */
export type SortKey<S extends Shape> =
  Directed<Exclude<Names<S>, LocationNames<S>> | LinkedNames<S>> | `${LocationNames<S>}:near`

export type Populate<S extends Shape> =
  | '*'
  | readonly (keyof S['populate'] & string)[]
  | { readonly [Name in keyof S['populate']]?: PopulateOptions<S['populate'][Name]> }

type PopulateOptions<Link> =
  Link extends Zone<infer Components>
    ? true | { readonly on: { readonly [Uid in keyof Components]?: true | Part<Components[Uid]> } }
    : true | (Part<Target<Link>> & (Link extends Many<Shape> ? Range : object))

interface Range {
  readonly pagination?: { readonly start?: number; readonly limit?: number }
}

interface Part<Found> {
  readonly fields?: Found extends Shape ? readonly FieldName<Found>[] : never
  readonly populate?: Found extends Shape ? Populate<Found> : never
  readonly filters?: Found extends Shape ? Filters<Found> : never
  readonly sort?: Found extends Shape ? SortKey<Found> | readonly SortKey<Found>[] : never
}

/** The constraint of a generic argument alone would accept unknown names. */
export type CheckedPopulate<S extends Shape, Asked> = Asked extends string | readonly string[]
  ? Asked
  : {
      readonly [Name in keyof Asked]: Name extends keyof S['populate']
        ? KnownOptions<S['populate'][Name], Asked[Name]>
        : never
    }

type KnownOptions<Link, Asked> = Asked extends true
  ? true
  : Link extends Zone<infer Components>
    ? {
        readonly [Key in keyof Asked]: Key extends 'on'
          ? {
              readonly [Uid in keyof Asked[Key]]: Uid extends keyof Components
                ? KnownElement<Components[Uid], Asked[Key][Uid]>
                : never
            }
          : never
      }
    : KnownPart<Target<Link>, Asked, Link extends Many<Shape> ? 'pagination' : never>

type KnownElement<Found, Asked> = Asked extends true ? true : KnownPart<Found, Asked, never>

type KnownPart<Found, Asked, More> = Found extends Shape
  ? {
      readonly [Key in keyof Asked]: Key extends 'fields' | 'sort' | More
        ? Asked[Key]
        : Key extends 'populate'
          ? CheckedPopulate<Found, Asked[Key]>
          : Key extends 'filters'
            ? Filters<Found> & {
                readonly [Name in keyof Asked[Key]]: Name extends keyof Filters<Found>
                  ? unknown
                  : never
              }
            : never
    }
  : never

/**
 * The type of an entry with its selected fields and populated attributes. A `Version` that may be
 * a draft may lack required attributes.
 */
export type Entry<S extends Shape, Fields, Asked, Version = undefined> = Simplify<
  Shown<S, Fields, Version> & Populated<S, Asked, Version>
>

/** The type of an entry in a response to a read. The content-type may have a default populate. */
export type ReadEntry<S extends Shape, Fields, Asked, Version> = [Asked] extends [undefined]
  ? Simplify<Shown<S, Fields, Version> & ByDefault<S, Version>>
  : Entry<S, Fields, Asked, Version>

type ByDefault<S extends Shape, Version> = [Version] extends [Published]
  ? S extends { readonly populated: infer Links }
    ? Links
    : object
  : S extends { readonly populatedDraft: infer Links }
    ? Links
    : object

type Published = 'published' | undefined

type FieldsOf<S extends Shape, Version> = [Version] extends [Published]
  ? S['fields']
  : S extends { readonly unfinished: infer Names }
    ? {
        [Name in keyof S['fields']]: S['fields'][Name] | (Name extends Names ? null : never)
      }
    : S['fields']

type Simplify<T> = { [Key in keyof T]: T[Key] }

type Always = 'id' | 'documentId'

type Shown<S extends Shape, Fields, Version> = Fields extends readonly (infer Name)[]
  ? Pick<FieldsOf<S, Version>, Extract<keyof S['fields'], Name | Always>> &
      Pick<OnRequest<S>, Extract<keyof OnRequest<S>, Name>>
  : FieldsOf<S, Version>

type Populated<S extends Shape, Asked, Version> = Asked extends '*'
  ? { [Name in keyof S['populate']]: Linked<S['populate'][Name], true, Version> }
  : Asked extends readonly (infer Name)[]
    ? { [Key in Extract<keyof S['populate'], Name>]: Linked<S['populate'][Key], true, Version> }
    : {
        [Key in Extract<keyof S['populate'], keyof Asked>]: Linked<
          S['populate'][Key],
          Asked[Key],
          Version
        >
      }

type Linked<Link, Asked, Version> =
  Link extends One<infer Found extends Shape>
    ? EntryOf<Found, Asked, Version> | Missing<Link, Version>
    : Link extends Many<infer Found extends Shape>
      ? EntryOf<Found, Asked, Version>[]
      : Link extends Zone<infer Components>
        ? Element<Components, Asked, Version>[]
        : never

/** Only published entries always have their required components. */
type Missing<Link, Version> =
  Link extends RequiredOne<Shape> ? ([Version] extends [Published] ? never : null) : null

type EntryOf<Found extends Shape, Asked, Version> = Entry<
  Found,
  Member<Asked, 'fields'>,
  Member<Asked, 'populate'>,
  Version
>

type Member<Asked, Key extends string> = Asked extends { readonly [K in Key]: infer Value }
  ? Value
  : undefined

/** With `on`, only the components that `on` names. */
type Element<Components, Asked, Version> = Asked extends { readonly on: infer On }
  ? {
      [Uid in keyof Components & keyof On]: ElementOf<Uid, Components[Uid], On[Uid], Version>
    }[keyof Components & keyof On]
  : { [Uid in keyof Components]: ElementOf<Uid, Components[Uid], true, Version> }[keyof Components]

type ElementOf<Uid, Component, Asked, Version> = Component extends Shape
  ? Simplify<{ __component: Uid } & EntryOf<Component, Asked, Version>>
  : never
