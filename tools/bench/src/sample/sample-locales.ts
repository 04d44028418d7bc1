import type { Locales } from '../../../../src/content/locales/locales.ts'
import { ValidationError } from '../../../../src/base/errors.ts'

/** The locales of the sample and their translation keys in `world-countries` (ISO 639-3). */
export const SAMPLE_LOCALES = [
  { code: 'en', translation: null },
  { code: 'de', translation: 'deu' },
  { code: 'fr', translation: 'fra' },
  { code: 'es', translation: 'spa' },
  { code: 'it', translation: 'ita' },
  { code: 'pt', translation: 'por' },
  { code: 'ar', translation: 'ara' },
  { code: 'ja', translation: 'jpn' },
  { code: 'zh', translation: 'zho' },
] as const

export type SampleLocale = (typeof SAMPLE_LOCALES)[number]['code']

export async function addSampleLocales(locales: Locales): Promise<readonly string[]> {
  const added: string[] = []
  for (const { code } of SAMPLE_LOCALES) {
    if ((await locales.current()).has(code)) continue
    try {
      await locales.add({ code })
      added.push(code)
    } catch (error) {
      // Another process may have added it first.
      if (!(error instanceof ValidationError) || !(await locales.current()).has(code)) throw error
    }
  }
  return added
}
