import type { SampleLocale } from '../sample-locales.ts'
import type { ArticleText } from './article-text.ts'

export interface HomepageText {
  readonly locale: SampleLocale
  readonly title: string
  readonly intro: string
  readonly paragraphs: readonly string[]
  readonly callToAction: string
}

export const HOMEPAGE: readonly HomepageText[] = [
  {
    locale: 'en',
    title: 'The world, as content',
    intro:
      'Countries in nine languages, the cities of the world, and a few articles about the lines between them.',
    paragraphs: [
      'Everything on this page comes from one API. The countries know their neighbours, their languages and their currencies; the cities know where they are.',
      'Change something, add a locale, publish a draft: it is yours.',
    ],
    callToAction: 'See all countries',
  },
  {
    locale: 'de',
    title: 'Die Welt als Inhalt',
    intro:
      'Länder in neun Sprachen, die Städte der Welt und ein paar Artikel über die Linien dazwischen.',
    paragraphs: [
      'Alles auf dieser Seite kommt aus einer API. Die Länder kennen ihre Nachbarn, Sprachen und Währungen, die Städte wissen, wo sie liegen.',
      'Ändern Sie etwas, fügen Sie eine Sprache hinzu, veröffentlichen Sie einen Entwurf.',
    ],
    callToAction: 'Alle Länder ansehen',
  },
  {
    locale: 'fr',
    title: 'Le monde comme contenu',
    intro:
      'Des pays en neuf langues, les villes du monde et quelques articles sur les lignes qui les séparent.',
    paragraphs: [
      'Tout sur cette page vient d’une seule API. Les pays connaissent leurs voisins, leurs langues et leurs monnaies ; les villes savent où elles se trouvent.',
      'Modifiez, ajoutez une langue, publiez un brouillon.',
    ],
    callToAction: 'Voir tous les pays',
  },
]

export interface CategoryText {
  readonly key: ArticleText['category']
  readonly names: readonly (readonly [SampleLocale, name: string, slug: string])[]
}

export const CATEGORIES: readonly CategoryText[] = [
  {
    key: 'borders',
    names: [
      ['en', 'Borders', 'borders'],
      ['de', 'Grenzen', 'grenzen'],
      ['fr', 'Frontières', 'frontieres'],
    ],
  },
  {
    key: 'maps',
    names: [
      ['en', 'Maps', 'maps'],
      ['de', 'Karten', 'karten'],
      ['fr', 'Cartes', 'cartes'],
    ],
  },
  {
    key: 'names',
    names: [
      ['en', 'Names', 'names'],
      ['de', 'Namen', 'namen'],
      ['fr', 'Noms', 'noms'],
    ],
  },
]
