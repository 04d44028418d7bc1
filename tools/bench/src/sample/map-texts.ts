import { singleDocumentId } from '../../../../src/content/write/single-document-id.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import { type SampleDocument, sampleId } from './sample-document.ts'
import type { ArticleText, LocalizedText } from './texts/article-text.ts'
import type { CategoryText, HomepageText } from './texts/homepage.ts'

const WORDS_PER_MINUTE = 200
const MAX_META_TITLE = 70
const MAX_META_DESCRIPTION = 170

const IN_SHORT: Readonly<Record<string, string>> = {
  en: 'In short',
  de: 'Kurz gesagt',
  fr: 'En bref',
}

export function mapArticle({ key, category, countries, texts }: ArticleText): SampleDocument {
  const relations = {
    category: sampleId.category(category),
    countries: countries.map(sampleId.country),
  }
  return {
    documentId: sampleId.article(key),
    cover: category,
    versions: texts.map((text) => ({
      locale: text.locale,
      status: text.status,
      values: articleValues(text),
      nested: { ...relations, seo: seoOf(text.title, text.excerpt), sections: sectionsOf(text) },
    })),
  }
}

function articleValues(text: LocalizedText): Data {
  const { title, slug, excerpt, paragraphs, inShort, locale } = text
  const words = paragraphs.join(' ').split(/\s+/).length
  return {
    title,
    slug,
    excerpt,
    body: paragraphs.join('\n\n'),
    content: [heading(IN_SHORT[locale] ?? locale), list(inShort)],
    readingMinutes: Math.max(1, Math.round(words / WORDS_PER_MINUTE)),
  }
}

function sectionsOf({ inShort, quote }: LocalizedText): readonly Data[] {
  const notes = inShort.map((sentence) => `- ${sentence}`).join('\n')
  const sections: Data[] = [{ __component: 'shared.rich-text', body: notes }]
  return quote === undefined ? sections : [...sections, { __component: 'shared.quote', ...quote }]
}

export function mapCategory({ key, names }: CategoryText): SampleDocument {
  return {
    documentId: sampleId.category(key),
    versions: names.map(([locale, name, slug]) => ({
      locale,
      status: 'published',
      values: { name, slug },
      nested: {},
    })),
  }
}

/** `featured` contains the keys of articles in display order. */
export function mapHomepage(
  texts: readonly HomepageText[],
  featured: readonly string[],
): SampleDocument {
  return {
    documentId: singleDocumentId('api::homepage.homepage'),
    versions: texts.map(({ locale, title, intro, paragraphs, callToAction }) => ({
      locale,
      status: 'published',
      values: { title, intro, content: paragraphs.map(paragraph) },
      nested: {
        featured: featured.map(sampleId.article),
        seo: seoOf(title, intro),
        sections: [
          {
            __component: 'shared.cta',
            label: callToAction,
            url: `/api/countries?locale=${locale}`,
          },
        ],
      },
    })),
  }
}

function seoOf(metaTitle: string, metaDescription: string): Data {
  return {
    metaTitle: metaTitle.slice(0, MAX_META_TITLE),
    metaDescription: metaDescription.slice(0, MAX_META_DESCRIPTION),
  }
}

function text(value: string): Data {
  return { type: 'text', text: value }
}

function paragraph(value: string): Data {
  return { type: 'paragraph', children: [text(value)] }
}

function heading(value: string): Data {
  return { type: 'heading', level: 2, children: [text(value)] }
}

function list(values: readonly string[]): Data {
  const children = values.map((value) => ({ type: 'list-item', children: [text(value)] }))
  return { type: 'list', format: 'unordered', children }
}
