import type { Content, ContentType } from '../content.ts'

/** What a store must know of content-types when a program runs; `quire client ts` writes it as `content`. */
export interface ContentPlan<C extends SyncedContent> {
  /** By the name of their path; `$files` are the files. */
  readonly types: Readonly<Record<string, TypePlan>>
  /** Components by their uid. */
  readonly components: Readonly<Record<string, ShapePlan>>
  /** Is never there: it carries the types. */
  readonly content?: C
}

/** Content-types, and what files are. */
export interface SyncedContent extends Content {
  readonly files: ContentType
}

export interface ShapePlan {
  /** Of values whose order is not that of their JSON. */
  readonly kinds: Readonly<Record<string, 'date' | 'bigint' | 'json'>>
  /** What an entry shows when it is populated. */
  readonly links: Readonly<Record<string, Link>>
  /** What it shows where `fields` names it. */
  readonly onRequest?: readonly string[]
}

export interface TypePlan extends ShapePlan {
  /** As `/api/_sync` calls it. */
  readonly name: string
  readonly kind: 'collection' | 'single'
  /** What a sync asks for by name, with commas between, where it would not send all by itself. */
  readonly fields?: string
}

export type Link =
  /** A relation or media. Without `by` the row holds documentIds; else rows at the other end hold them, under that name. */
  | { readonly to: string; readonly many: boolean; readonly by?: string }
  | { readonly component: string; readonly many: boolean }
  | { readonly zone: true }
  | { readonly localizations: true }

/** What a store can hold: content-types by the name of their path, and `$files`. */
export type SyncName<C extends SyncedContent> = (keyof C['types'] & string) | '$files'

/** The content-type of a name. */
export type SyncType<C extends SyncedContent, Name> = Name extends '$files'
  ? C['files']
  : Name extends keyof C['types']
    ? Extract<C['types'][Name], ContentType>
    : never
