import type { Content, ContentType } from '../content.ts'

export interface ContentPlan<C extends SyncedContent> {
  readonly types: Readonly<Record<string, TypePlan>>
  readonly components: Readonly<Record<string, ShapePlan>>
  readonly content?: C
}

/** The content-types and the type of files. */
export interface SyncedContent extends Content {
  readonly files: ContentType
}

export interface ShapePlan {
  /** Attributes whose values sort differently from their JSON. */
  readonly kinds: Readonly<Record<string, 'date' | 'bigint' | 'json'>>
  readonly links: Readonly<Record<string, Link>>
  readonly onRequest?: readonly string[]
  /** The weights of the texts that a search of the content-type reads. */
  readonly search?: Readonly<Record<string, number>>
}

export interface TypePlan extends ShapePlan {
  /** The name in `/api/_sync`. */
  readonly name: string
  readonly kind: 'collection' | 'single'
  /**
   * The fields that a sync must request by name, separated by commas, if the defaults do not
   * suffice.
   */
  readonly fields?: string
}

export type Link =
  /**
   * The row contains the documentIds; with `by`, the rows of the other type contain them in `by`.
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
