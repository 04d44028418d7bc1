import { fault, validationError } from '../../base/errors.ts'
import { type DeclarationCode, declarationFault } from '../check/declaration-fault.ts'
import type { DeclarationFile, Uid } from '../definition.ts'
import type { DeclarationLayout } from '../load.ts'

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const MAX_LENGTH = 63
/** https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

export function newPlaceOf(layout: DeclarationLayout, uid: Uid, content: object | null): NewFile {
  if (content === null) throw refusal(uid, 'declare.gone')
  return uid.startsWith('api::') ? contentTypePlace(layout, uid) : componentPlace(layout, uid)
}

type NewFile = Pick<DeclarationFile, 'file' | 'kind'>

function contentTypePlace(layout: DeclarationLayout, uid: Uid): NewFile {
  const [api = '', name, ...rest] = uid.slice('api::'.length).split('.')
  if (api !== name || !isName(name) || rest.length > 0) {
    throw refusal(uid, 'declare.typeUid')
  }
  return { file: layout.contentTypeFile(name), kind: 'contentType' }
}

function componentPlace(layout: DeclarationLayout, uid: Uid): NewFile {
  const [category = '', name = '', ...rest] = uid.split('.')
  if (!isName(category) || !isName(name) || rest.length > 0) {
    throw refusal(uid, 'declare.componentUid')
  }
  return { file: layout.componentFile(category, name), kind: 'component' }
}

function isName(text: string): boolean {
  return text.length <= MAX_LENGTH && NAME.test(text) && !DEVICES.test(text)
}

function refusal(uid: Uid, code: DeclarationCode): Error {
  const { problem, reason } = declarationFault('', code, { name: uid })
  return validationError([fault([uid], problem, undefined, reason)])
}
