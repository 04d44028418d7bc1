import { BSONRegExp } from 'bson'
import { encodeKey } from '../bson/encode-key.ts'
import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { MAX_KEY_BYTES } from '../storage/index-keys.ts'

/** @throws CommandError if the value cannot be an _id */
export function checkId(id: Value): void {
  if (Array.isArray(id))
    throw new CommandError('InvalidIdField', "The '_id' value cannot be of type array")
  if (id instanceof BSONRegExp)
    throw new CommandError('InvalidIdField', "The '_id' value cannot be of type regex")
  if (isDocument(id) && Object.keys(id).some((field) => field.startsWith('$'))) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      "_id fields may not contain '$'-prefixed fields",
    )
  }
  if ((typeof id === 'string' || isDocument(id)) && encodeKey([id], []).length > MAX_KEY_BYTES) {
    throw new CommandError('KeyTooLong', `The _id is longer than ${MAX_KEY_BYTES} bytes`)
  }
}
