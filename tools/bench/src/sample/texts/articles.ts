import type { ArticleText } from './article-text.ts'
import { COUNTING_CITIES, SHARED_ISLANDS, SHORTEST_BORDER } from './borders.ts'
import { COMPROMISE_CAPITALS, THREE_CAPITALS } from './capitals.ts'
import { EXONYMS } from './exonyms.ts'
import { FLAT_MAPS } from './flat-maps.ts'
import { TWICE_LANDLOCKED } from './twice-landlocked.ts'

export const ARTICLES: readonly ArticleText[] = [
  TWICE_LANDLOCKED,
  FLAT_MAPS,
  EXONYMS,
  COMPROMISE_CAPITALS,
  SHARED_ISLANDS,
  SHORTEST_BORDER,
  COUNTING_CITIES,
  THREE_CAPITALS,
]
