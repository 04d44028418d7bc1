import type { Attribute } from '../entry/declaration.ts'

/** Where a field stands: the text of an address, so that a memo can compare it. */
export type Place = string

/** What each field is given. */
export interface FieldProps<Of extends Attribute = Attribute> {
  readonly attribute: Of
  /** Its name in the declaration. */
  readonly name: string
  readonly place: Place
}
