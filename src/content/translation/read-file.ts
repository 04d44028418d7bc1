import { type Fault, fault, MalformedBodyError, validationError } from '../../base/errors.ts'
import { readJsonFile } from './json-file.ts'
import { readXliff, XliffError } from './read-xliff.ts'
import { MAX_FILE_UNITS, type TranslationFile } from './translation-file.ts'

/**
 * Reads a file of a translator, which is XLIFF 1.2 or JSON in UTF-8.
 * @throws MalformedBodyError for a file that cannot be parsed; ValidationError
 */
export function readTranslationFile(bytes: Buffer): TranslationFile {
  const text = decode(bytes)
  const file = /^\s*</.test(text) ? parseXliff(text) : readJsonFile(parseJson(text))
  const [first, ...others] = faultsOf(file)
  if (first !== undefined) throw validationError([first, ...others])
  return file
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new MalformedBodyError('The file is not UTF-8')
  }
}

function parseXliff(text: string): TranslationFile {
  try {
    return readXliff(text)
  } catch (error) {
    if (!(error instanceof XliffError)) throw error
    throw new MalformedBodyError(`The file cannot be read: ${error.message}`)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedBodyError('The file is neither XLIFF 1.2 nor JSON')
  }
}

/** Two texts for one place would leave the result to their order. */
function faultsOf({ entries }: TranslationFile): readonly Fault[] {
  const seen = new Set<string>()
  const isRepeated = (key: string): boolean => seen.has(key) || !seen.add(key)
  const total = entries.reduce((sum, { units }) => sum + units.length, 0)
  if (total > MAX_FILE_UNITS) {
    const message = `entries have at most ${MAX_FILE_UNITS} units together`
    return [fault(['entries'], message, undefined, { code: 'array.max' })]
  }
  return entries.flatMap(({ uid, documentId, to, units }, index) => {
    const key = `${uid}/${documentId}/${to}`
    const at = ['entries', String(index)]
    const repeated = (path: readonly string[], value: string): Fault =>
      fault(path, `${path.join('.')} is repeated`, value, { code: 'any.unique' })
    return [
      ...(isRepeated(key) ? [repeated([...at, 'documentId'], documentId)] : []),
      ...units.flatMap(({ id }, unit) =>
        isRepeated(`${key} ${id}`) ? [repeated([...at, 'units', String(unit), 'id'], id)] : [],
      ),
    ]
  })
}
