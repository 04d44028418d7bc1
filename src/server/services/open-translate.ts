import { ExtensionError } from '../../base/errors.ts'
import {
  openTranslation,
  type TranslationService,
} from '../../content/translation/suggest-translations.ts'
import { openProvided } from '../extensions/open-provided.ts'
import type { Base } from './open-base.ts'

const MAX_NAME_LENGTH = 60

/** Null without an extension that translates. @throws ExtensionError */
export async function openTranslate({
  extensions: { translate, host },
}: Pick<Base, 'extensions'>): Promise<TranslationService | null> {
  if (translate === null) return null
  const { extension } = translate
  const provider = await openProvided(translate, 'translate', ['translate'])
  const name: unknown = provider.name // maybe from JavaScript, without type checks
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH) {
    const path = `extension ${JSON.stringify(extension)}: providers.translate`
    const problem = `returns an object without a name of at most ${MAX_NAME_LENGTH} characters`
    throw new ExtensionError([`${path}: ${problem}`])
  }
  return openTranslation({ extension, provider, host })
}
