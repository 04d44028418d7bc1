/// <reference lib="dom" />
import { followStudio } from '@quire/client/preview'

interface Section {
  readonly __component: string
  readonly body?: string | null
  readonly text?: string | null
  readonly label?: string | null
}

interface Article {
  readonly title: string
  readonly excerpt: string | null
  readonly body: string | null
  readonly cover?: { readonly url: string; readonly alternativeText: string | null } | null
  readonly sections?: readonly Section[]
}

const studio = document.documentElement.dataset['studio'] ?? ''

followStudio<Article>({
  studio,
  load: async ({ searchParams: given }) => {
    const url = new URL(`/api/articles/${given.get('id')}`, studio)
    url.search = `locale=${given.get('locale')}&status=draft&populate=*`
    const headers = { Authorization: `Bearer ${given.get('secret')}` }
    const answer = await fetch(url, { headers })
    if (!answer.ok) throw new Error(await answer.text())
    const { data } = (await answer.json()) as { readonly data: Article }
    return data
  },
  show: (article) => document.querySelector('article')?.replaceChildren(...elementsOf(article)),
  onError: (error) => document.querySelector('article')?.replaceChildren(String(error)),
})

function* elementsOf({ title, excerpt, body, cover, sections = [] }: Article): Iterable<Element> {
  yield textElement('h1', 'title', title)
  yield textElement('p', 'excerpt', excerpt ?? '')
  if (cover) yield pictureOf(cover)
  yield* paragraphs('body', body)
  for (const [at, { text, label, body: notes }] of sections.entries()) {
    if (text !== undefined) yield textElement('blockquote', `sections.${at}.text`, text ?? '')
    if (label !== undefined) yield textElement('p', `sections.${at}.label`, label ?? '')
    yield* paragraphs(`sections.${at}.body`, notes)
  }
}

function pictureOf({ url, alternativeText }: NonNullable<Article['cover']>): Element {
  const picture = marked('img', 'cover')
  picture.src = new URL(url, studio).href
  picture.alt = alternativeText ?? ''
  return picture
}

function* paragraphs(field: string, text: string | null | undefined): Iterable<Element> {
  for (const one of (text ?? '').split(/\n{2,}/)) if (one !== '') yield textElement('p', field, one)
}

function textElement(name: 'h1' | 'p' | 'blockquote', field: string, text: string): Element {
  const element = marked(name, field)
  if (field === 'excerpt') element.className = 'excerpt'
  element.textContent = text
  return element
}

function marked<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  field: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.dataset['quireField'] = field
  return element
}
