/** The types that `quire client ts` generates for content-types. They do not exist at runtime. */

export interface Shape {
  /** The attributes of a published entry. */
  readonly fields: object
  /** The names of the required attributes, which a draft may lack. */
  readonly unfinished?: string
  readonly onRequest?: object
  readonly filters: object
  readonly populate: object
}

export interface ContentType extends Shape {
  readonly kind: 'collection' | 'single'
  /** The attributes that a read without `populate` returns. */
  readonly populated?: object
  /** The same in drafts. */
  readonly populatedDraft?: object
  /** The names of the attributes that a search can name. */
  readonly searched?: string
  /** The names of the attributes with values that a search can count. */
  readonly faceted?: string
  /** Data of an entry that is published at once. Drafts accept `update`. */
  readonly create: object
  readonly update: object
}

/** All content-types by the name in their path, and the locales of the content. */
export interface Content {
  readonly locales: string
  readonly types: object
  /** The same content-types by their singular names. */
  readonly singular?: object
}

export interface One<Target> {
  readonly one: Target
}

/** A required component. */
export interface RequiredOne<Target> extends One<Target> {
  readonly required: true
}

export interface Many<Target> {
  readonly many: Target
}

/** A dynamic zone: components by their uid. */
export interface Zone<Components> {
  readonly zone: Components
}

interface Equal<Operand> extends Presence {
  readonly $eq?: Operand | null
  readonly $ne?: Operand | null
  readonly $in?: readonly Operand[]
  readonly $notIn?: readonly Operand[]
}

interface Presence {
  readonly $null?: boolean
  readonly $notNull?: boolean
}

interface Ordered<Operand> extends Equal<Operand> {
  readonly $lt?: Operand
  readonly $lte?: Operand
  readonly $gt?: Operand
  readonly $gte?: Operand
  readonly $between?: readonly [Operand, Operand]
}

interface Textual<Operand> extends Ordered<Operand> {
  readonly $eqi?: string
  readonly $nei?: string
  readonly $contains?: string
  readonly $notContains?: string
  readonly $containsi?: string
  readonly $notContainsi?: string
  readonly $startsWith?: string
  readonly $startsWithi?: string
  readonly $endsWith?: string
  readonly $endsWithi?: string
}

/** Conditions on a text. For an enumeration, `Operand` is the union of its values. */
export type TextFilter<Operand extends string = string> = Operand | Textual<Operand>
export type OrderedFilter<Operand> = Operand | Ordered<Operand>
export type PlainFilter = Equal<string>

/** Conditions on a location. Distances are in meters. */
export interface LocationFilter extends Presence {
  readonly $near?: Location & { readonly maxDistance?: number }
  readonly $within?:
    | { readonly box: Box }
    | { readonly circle: Location & { readonly radius: number } }
    | { readonly polygon: readonly Location[] }
}

/** Crosses 180° if `west` is greater than `east`. */
interface Box {
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

export interface RelationChange {
  readonly connect?: readonly (string | ConnectedDocument)[]
  readonly disconnect?: readonly string[]
  readonly set?: readonly string[]
}

export interface ConnectedDocument {
  readonly documentId: string
  readonly position?:
    | { readonly start: true }
    | { readonly end: true }
    | { readonly before: string }
    | { readonly after: string }
}

/** The value of a relation or media attribute in a write: documentIds. Files also accept ids. */
export type ToOne = string | number | null | RelationChange
export type ToMany = readonly (string | number)[] | null | RelationChange

/** A value of a `location` attribute, in degrees. */
export interface Location {
  readonly latitude: number
  readonly longitude: number
}

/** A value of a `blocks` attribute. */
export type Blocks = readonly Block[]

/** A value of a `blocks` attribute whose type has the option `"blocks": "extended"`. */
export type ExtendedBlocks = readonly (Block | TableBlock)[]

export type Inline =
  | {
      readonly type: 'text'
      readonly text: string
      readonly bold?: boolean
      readonly italic?: boolean
      readonly underline?: boolean
      readonly strikethrough?: boolean
      readonly code?: boolean
    }
  | {
      readonly type: 'link'
      /** Empty if the linked entry has no URL, or is hidden from the caller. */
      readonly url: string
      readonly entry?: LinkedEntry
      readonly children: readonly Inline[]
    }

/** The target of a link in blocks. */
export interface LinkedEntry {
  /** The uid of its content-type, such as `api::article.article`. */
  readonly type: string
  readonly documentId: string
}

export interface ListBlock {
  readonly type: 'list'
  readonly format: 'ordered' | 'unordered'
  readonly children: readonly (
    ListBlock | { readonly type: 'list-item'; readonly children: readonly Inline[] }
  )[]
}

/** All rows have the same number of cells. */
export interface TableBlock {
  readonly type: 'table'
  readonly children: readonly {
    readonly type: 'table-row'
    readonly children: readonly {
      readonly type: 'table-cell' | 'table-header-cell'
      readonly children: readonly Inline[]
    }[]
  }[]
}

export type Block =
  | { readonly type: 'paragraph' | 'quote' | 'code'; readonly children: readonly Inline[] }
  | {
      readonly type: 'heading'
      readonly level: 1 | 2 | 3 | 4 | 5 | 6
      readonly children: readonly Inline[]
    }
  | ListBlock
  | {
      readonly type: 'image'
      readonly image: { readonly url: string; readonly width: number; readonly height: number }
      readonly children?: readonly Inline[]
    }

/** The smaller versions of an image. */
export interface FileFormats {
  readonly thumbnail?: FileFormat
  readonly small?: FileFormat
  readonly medium?: FileFormat
  readonly large?: FileFormat
  readonly [name: string]: FileFormat | undefined
}

export interface FileFormat {
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly ext: string
  readonly hash: string
  readonly width: number
  readonly height: number
  /** In kilobytes. */
  readonly size: number
  readonly sizeInBytes: number
}

/** The point of an image that every crop shows, in percent of its width and height. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}
