import { fault, validationError } from '../../base/errors.ts'
import type { DeclarationFile, Uid } from '../definition.ts'
import type { DeclarationLayout } from '../load.ts'

/** A name that is a valid file name on every system. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const MAX_LENGTH = 63
/** https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** Such as `api::recipe.recipe` or `shared.link`. @throws ValidationError for any other uid */
export function newPlaceOf(layout: DeclarationLayout, uid: Uid, content: object | null): NewFile {
  if (content === null) throw refusal(uid, `there is no declaration of ${uid}`)
  return uid.startsWith('api::') ? contentTypePlace(layout, uid) : componentPlace(layout, uid)
}

type NewFile = Pick<DeclarationFile, 'file' | 'kind'>

function contentTypePlace(layout: DeclarationLayout, uid: Uid): NewFile {
  const [api = '', name, ...rest] = uid.slice('api::'.length).split('.')
  if (api !== name || !isName(name) || rest.length > 0) {
    throw refusal(uid, `${uid} is no uid of a new content-type, such as api::recipe.recipe`)
  }
  return { file: layout.contentTypeFile(name), kind: 'contentType' }
}

function componentPlace(layout: DeclarationLayout, uid: Uid): NewFile {
  const [category = '', name = '', ...rest] = uid.split('.')
  if (!isName(category) || !isName(name) || rest.length > 0) {
    throw refusal(uid, `${uid} is no uid of a new component, such as shared.link`)
  }
  return { file: layout.componentFile(category, name), kind: 'component' }
}

function isName(text: string): boolean {
  return text.length <= MAX_LENGTH && NAME.test(text) && !DEVICES.test(text)
}

function refusal(uid: Uid, message: string): Error {
  return validationError([fault([uid], message)])
}
