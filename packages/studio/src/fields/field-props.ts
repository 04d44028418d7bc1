import type { Attribute } from '../api/attributes.ts'

/** A serialized address, because memo compares strings. */
export type Place = string

export interface FieldProps<Of extends Attribute = Attribute> {
  readonly attribute: Of
  readonly name: string
  readonly place: Place
}
