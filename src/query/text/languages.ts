export type Stem = (word: string) => string

interface StemmerModule {
  readonly stemmer: Stem
}

interface StopWordsModule {
  readonly stopwords: readonly string[]
}

interface Language {
  stemmer(): Promise<StemmerModule>
  stopWords(): Promise<StopWordsModule>
}

/** By the primary subtag of a locale. Other languages are searched by whole words. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  ar: {
    stemmer: () => import('@orama/stemmers/arabic'),
    stopWords: () => import('@orama/stopwords/arabic'),
  },
  bg: {
    stemmer: () => import('@orama/stemmers/bulgarian'),
    stopWords: () => import('@orama/stopwords/bulgarian'),
  },
  da: {
    stemmer: () => import('@orama/stemmers/danish'),
    stopWords: () => import('@orama/stopwords/danish'),
  },
  de: {
    stemmer: () => import('@orama/stemmers/german'),
    stopWords: () => import('@orama/stopwords/german'),
  },
  el: {
    stemmer: () => import('@orama/stemmers/greek'),
    stopWords: () => import('@orama/stopwords/greek'),
  },
  en: {
    stemmer: () => import('@orama/stemmers/english'),
    stopWords: () => import('@orama/stopwords/english'),
  },
  es: {
    stemmer: () => import('@orama/stemmers/spanish'),
    stopWords: () => import('@orama/stopwords/spanish'),
  },
  fi: {
    stemmer: () => import('@orama/stemmers/finnish'),
    stopWords: () => import('@orama/stopwords/finnish'),
  },
  fr: {
    stemmer: () => import('@orama/stemmers/french'),
    stopWords: () => import('@orama/stopwords/french'),
  },
  hu: {
    stemmer: () => import('@orama/stemmers/hungarian'),
    stopWords: () => import('@orama/stopwords/hungarian'),
  },
  it: {
    stemmer: () => import('@orama/stemmers/italian'),
    stopWords: () => import('@orama/stopwords/italian'),
  },
  nb: {
    stemmer: () => import('@orama/stemmers/norwegian'),
    stopWords: () => import('@orama/stopwords/norwegian'),
  },
  nl: {
    stemmer: () => import('@orama/stemmers/dutch'),
    stopWords: () => import('@orama/stopwords/dutch'),
  },
  pt: {
    stemmer: () => import('@orama/stemmers/portuguese'),
    stopWords: () => import('@orama/stopwords/portuguese'),
  },
  ro: {
    stemmer: () => import('@orama/stemmers/romanian'),
    stopWords: () => import('@orama/stopwords/romanian'),
  },
  ru: {
    stemmer: () => import('@orama/stemmers/russian'),
    stopWords: () => import('@orama/stopwords/russian'),
  },
  sv: {
    stemmer: () => import('@orama/stemmers/swedish'),
    stopWords: () => import('@orama/stopwords/swedish'),
  },
  tr: {
    stemmer: () => import('@orama/stemmers/turkish'),
    stopWords: () => import('@orama/stopwords/turkish'),
  },
}

const SAME: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' }

export interface LanguageRules {
  readonly stem: Stem
  readonly stopWords: readonly string[]
}

/** The language whose words a locale has, or `und`. */
export function languageOf(locale: string): string {
  const [primary = ''] = locale.toLowerCase().split('-')
  const language = SAME[primary] ?? primary
  return Object.hasOwn(LANGUAGES, language) ? language : 'und'
}

/** Loads a language when it is first used, because all of them together delay the start. */
export async function loadLanguage(language: string): Promise<LanguageRules> {
  const found = LANGUAGES[language]
  if (found === undefined) return { stem: (word) => word, stopWords: [] }
  const [{ stemmer }, { stopwords }] = await Promise.all([found.stemmer(), found.stopWords()])
  return { stem: stemmer, stopWords: stopwords }
}
