import type { SortKey } from './query.ts'

/** The path in the notation of a request: `views`, `category.name`. */
export function sortPath({ through, attribute }: SortKey): string {
  return [...through, attribute].map(({ name }) => name).join('.')
}
