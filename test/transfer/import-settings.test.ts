import { expect } from 'chai'
import { ServiceUnavailableError, ValidationError } from '../../src/base/errors.ts'
import type { Locales } from '../../src/content/locales/locales.ts'
import { importLocales } from '../../src/transfer/import-settings.ts'

const french = { type: 'plugin::i18n.locale', id: 1, data: { code: 'fr', name: 'French' } }

describe('importLocales', () => {
  /** Returns the reported sentences. */
  const bring = async (refusal: Error): Promise<readonly string[]> => {
    const sentences: string[] = []
    const locales = {
      current: () => Promise.resolve(new Map()),
      add: () => Promise.reject(refusal),
    } as unknown as Locales
    await importLocales(
      locales,
      {
        summary: {
          settings: new Map([['plugin::i18n.locale', [french]]]),
          defaultLocale: null,
        },
        index: { linked: () => [] },
        leaveBehind: (sentence) => sentences.push(sentence),
      },
      true,
    )
    return sentences
  }

  it('reports a locale that is refused', async () => {
    const sentences = await bring(new ValidationError('no such language'))
    expect(sentences).to.deep.equal(['locale fr: no such language'])
  })

  it('fails while the database is unreachable, because the entries of the locale would be lost', async () => {
    const refusal = new ServiceUnavailableError('The database cannot be reached')
    const error: unknown = await bring(refusal).catch((reason: unknown) => reason)
    expect(error).to.equal(refusal)
  })
})
