import { type ComponentType, memo } from 'react'
import type { Attribute } from '../api/attributes.ts'
import { BlocksField } from './blocks/blocks-field.tsx'
import { BooleanField } from './boolean/boolean-field.tsx'
import { ComponentField } from './components/component-field.tsx'
import { ComponentListField } from './components/component-list-field.tsx'
import { EnumerationField } from './enumeration/enumeration-field.tsx'
import type { FieldProps } from './field-props.ts'
import { JsonField } from './json/json-field.tsx'
import { LocationField } from './location/location-field.tsx'
import { MediaField } from './media/media-field.tsx'
import { NumberField } from './number/number-field.tsx'
import { PasswordField } from './password/password-field.tsx'
import { RelationField } from './relation/relation-field.tsx'
import { RichtextField } from './richtext/richtext-field.tsx'
import { TextField } from './text/text-field.tsx'
import { TimeField } from './time/time-field.tsx'
import { UidField } from './uid/uid-field.tsx'

/** Custom fields are declared as the type of their storage. */
const FIELDS: Readonly<Record<Attribute['type'], unknown>> = {
  string: TextField,
  text: TextField,
  email: TextField,
  richtext: RichtextField,
  blocks: BlocksField,
  password: PasswordField,
  uid: UidField,
  integer: NumberField,
  biginteger: NumberField,
  float: NumberField,
  decimal: NumberField,
  boolean: BooleanField,
  date: TimeField,
  datetime: TimeField,
  time: TimeField,
  timestamp: TimeField,
  enumeration: EnumerationField,
  json: JsonField,
  location: LocationField,
  media: MediaField,
  relation: RelationField,
  component: ComponentField,
  dynamiczone: ComponentListField,
}

export const Field = memo(function Field(props: FieldProps) {
  const { attribute } = props
  const isRepeatable = attribute.type === 'component' && attribute.repeatable === true
  const Of = (
    isRepeatable ? ComponentListField : FIELDS[attribute.type]
  ) as ComponentType<FieldProps>
  return <Of {...props} />
})
