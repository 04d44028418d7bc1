import type { Content, ContentType } from '../content.ts'

/** The content-types as runtime data for a store. `quire client ts` generates it as `content`. */
export interface ContentPlan<C extends SyncedContent> {
  /** By the name in their path. `$files` are the files. */
  readonly types: Readonly<Record<string, TypePlan>>
  /** Components by their uid. */
  readonly components: Readonly<Record<string, ShapePlan>>
  /** Never set. Carries the types. */
  readonly content?: C
}

/** The content-types and the type of files. */
export interface SyncedContent extends Content {
  readonly files: ContentType
}

export interface ShapePlan {
  /** Attributes whose values sort differently from their JSON. */
  readonly kinds: Readonly<Record<string, 'date' | 'bigint' | 'json'>>
  /** Attributes that `populate` adds. */
  readonly links: Readonly<Record<string, Link>>
  /** Fields that an entry contains only if `fields` selects them. */
  readonly onRequest?: readonly string[]
}

export interface TypePlan extends ShapePlan {
  /** The name in `/api/_sync`. */
  readonly name: string
  readonly kind: 'collection' | 'single'
  /**
   * The fields that a sync must request by name, separated by commas. Not set if the default fields
   * suffice.
   */
  readonly fields?: string
}

export type Link =
  /**
   * A relation or media. Without `by` the row contains the documentIds. With `by` the rows of the
   * other type contain them, in that attribute.
   */
  | { readonly to: string; readonly many: boolean; readonly by?: string }
  | { readonly component: string; readonly many: boolean }
  | { readonly zone: true }
  | { readonly localizations: true }

/** The names that a store accepts: content-types by the name in their path, and `$files`. */
export type SyncName<C extends SyncedContent> = (keyof C['types'] & string) | '$files'

export type SyncType<C extends SyncedContent, Name> = Name extends '$files'
  ? C['files']
  : Name extends keyof C['types']
    ? Extract<C['types'][Name], ContentType>
    : never
