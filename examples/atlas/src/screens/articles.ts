import { blocks } from '../blocks.ts'
import { element } from '../element.ts'
import { picture } from '../picture.ts'
import { store } from '../store.ts'
import { language, texts } from '../texts.ts'
import { countryLink } from './countries.ts'

const COVER = {
  fields: ['url', 'width', 'height', 'alternativeText', 'thumbhash', 'updatedAt'],
} as const

/** All articles in the language of the app, newest first. */
export function articles(): readonly HTMLElement[] {
  const { entries } = store.articles.query({
    fields: ['title', 'excerpt', 'readingMinutes'],
    populate: { cover: COVER, category: { fields: ['name'] } },
    sort: ['publishedAt:desc', 'title'],
    locale: language,
  })
  const cards = entries.map(({ documentId, title, excerpt, readingMinutes, cover, category }) =>
    element(
      'a',
      { class: 'card', href: `#/articles/${documentId}` },
      picture(cover, '(max-width: 640px) 100vw, 360px'),
      element(
        'div',
        { class: 'card-text' },
        element('p', { class: 'quiet' }, about(category?.name, readingMinutes)),
        element('h2', {}, title),
        element('p', {}, excerpt ?? ''),
      ),
    ),
  )
  const list = cards.length > 0 ? cards : [element('p', { class: 'quiet' }, texts.nothing)]
  return [element('h1', {}, texts.articles), element('div', { class: 'cards' }, ...list)]
}

function about(category: string | null | undefined, minutes: number | null): string {
  return [category, minutes === null ? null : texts.minutes(minutes)]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}

export function article(documentId: string): readonly HTMLElement[] {
  const entry = store.articles.get(documentId, {
    locale: language,
    populate: {
      cover: COVER,
      category: { fields: ['name'] },
      countries: { fields: ['name', 'flag'], sort: 'name' },
      sections: { on: { 'shared.quote': {} } },
    },
  })
  if (entry === null) return [element('p', {}, texts.gone)]
  const { title, excerpt, body, content, cover, category, countries, sections } = entry
  const paragraphs = body.split(/\n{2,}/).filter((text) => text.trim() !== '')
  return [
    element(
      'article',
      {},
      element('p', { class: 'quiet' }, about(category?.name, entry.readingMinutes)),
      element('h1', {}, title),
      element('p', { class: 'lead' }, excerpt ?? ''),
      picture(cover, '(max-width: 720px) 100vw, 680px'),
      ...paragraphs.map((text) => element('p', {}, text.replaceAll('`', ''))),
      ...sections.map(({ text, source }) =>
        element(
          'blockquote',
          {},
          element('p', {}, text),
          source === null ? null : element('cite', {}, source),
        ),
      ),
      ...blocks(content),
      countries.length > 0 && element('h2', {}, texts.about),
      element('ul', { class: 'chips' }, ...countries.map(countryLink)),
    ),
  ]
}
