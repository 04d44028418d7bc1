// Written by `quire client ts`: run it again when the content-types change.
import * as quire from '@quire/client'

export interface Article {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    title: string
    slug: string
    excerpt: string | null
    body: string
    content: quire.Blocks | null
    readingMinutes: number | null
    createdAt: string
    updatedAt: string
    publishedAt: string | null
    locale: string | null
  }
  unfinished: 'title' | 'slug' | 'body'
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    title: quire.TextFilter
    slug: quire.TextFilter
    excerpt: quire.TextFilter
    body: quire.TextFilter
    content: quire.PlainFilter
    readingMinutes: quire.OrderedFilter<number>
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
    locale: quire.TextFilter
  }
  populate: {
    cover: quire.One<UploadFile>
    seo: quire.One<SharedSeo>
    sections: quire.Zone<{
      'shared.rich-text': SharedRichText
      'shared.quote': SharedQuote
      'shared.cta': SharedCta
    }>
    category: quire.One<Category>
    countries: quire.Many<Country>
    localizations: quire.Many<Article>
  }
  searched: 'title' | 'excerpt' | 'body'
  faceted: 'category' | 'countries'
  create: {
    title: string
    slug?: string
    excerpt?: string | null
    body: string
    content?: quire.Blocks | null
    readingMinutes?: number | null
    cover?: quire.ToOne
    seo?: SharedSeo_Input | null
    sections?:
      | readonly (
          | ({ __component: 'shared.rich-text' } & SharedRichText_Input)
          | ({ __component: 'shared.quote' } & SharedQuote_Input)
          | ({ __component: 'shared.cta' } & SharedCta_Input)
        )[]
      | null
    category?: quire.ToOne
    countries?: quire.ToMany
  }
  update: {
    title?: string | null
    slug?: string | null
    excerpt?: string | null
    body?: string | null
    content?: quire.Blocks | null
    readingMinutes?: number | null
    cover?: quire.ToOne
    seo?: SharedSeo_Input | null
    sections?:
      | readonly (
          | ({ __component: 'shared.rich-text' } & SharedRichText_Input)
          | ({ __component: 'shared.quote' } & SharedQuote_Input)
          | ({ __component: 'shared.cta' } & SharedCta_Input)
        )[]
      | null
    category?: quire.ToOne
    countries?: quire.ToMany
  }
}

export interface Category {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    name: string
    slug: string
    createdAt: string
    updatedAt: string
    publishedAt: string | null
    locale: string | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    name: quire.TextFilter
    slug: quire.TextFilter
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
    locale: quire.TextFilter
  }
  populate: {
    articles: quire.Many<Article>
    localizations: quire.Many<Category>
  }
  create: {
    name: string
    slug?: string
    articles?: quire.ToMany
  }
  update: {
    name?: string
    slug?: string
    articles?: quire.ToMany
  }
}

export interface City {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    name: string
    population: number | null
    featureCode: string | null
    location: quire.Location | null
    createdAt: string
    updatedAt: string
    publishedAt: string | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    name: quire.TextFilter
    population: quire.OrderedFilter<number>
    featureCode: quire.TextFilter
    location: quire.LocationFilter
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
  }
  populate: {
    country: quire.One<Country>
  }
  create: {
    name: string
    population?: number | null
    featureCode?: string | null
    location?: quire.Location | null
    country?: quire.ToOne
  }
  update: {
    name?: string
    population?: number | null
    featureCode?: string | null
    location?: quire.Location | null
    country?: quire.ToOne
  }
}

export interface Country {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    name: string
    officialName: string | null
    cca2: string
    cca3: string
    region: 'Africa' | 'Americas' | 'Antarctic' | 'Asia' | 'Europe' | 'Oceania'
    subregion: string | null
    capital: string | null
    area: number | null
    landlocked: boolean | null
    independent: boolean | null
    flag: string | null
    latitude: number | null
    longitude: number | null
    tld: unknown
    createdAt: string
    updatedAt: string
    publishedAt: string | null
    locale: string | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    name: quire.TextFilter
    officialName: quire.TextFilter
    cca2: quire.TextFilter
    cca3: quire.TextFilter
    region: quire.TextFilter<'Africa' | 'Americas' | 'Antarctic' | 'Asia' | 'Europe' | 'Oceania'>
    subregion: quire.TextFilter
    capital: quire.TextFilter
    area: quire.OrderedFilter<number>
    landlocked: quire.OrderedFilter<boolean>
    independent: quire.OrderedFilter<boolean>
    flag: quire.TextFilter
    latitude: quire.OrderedFilter<number>
    longitude: quire.OrderedFilter<number>
    tld: quire.PlainFilter
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
    locale: quire.TextFilter
  }
  populate: {
    borders: quire.Many<Country>
    cities: quire.Many<City>
    localizations: quire.Many<Country>
  }
  searched: 'name' | 'officialName' | 'capital' | 'subregion'
  faceted: 'region' | 'landlocked' | 'independent' | 'borders' | 'cities'
  create: {
    name: string
    officialName?: string | null
    cca2: string
    cca3: string
    region: 'Africa' | 'Americas' | 'Antarctic' | 'Asia' | 'Europe' | 'Oceania'
    subregion?: string | null
    capital?: string | null
    area?: number | null
    landlocked?: boolean | null
    independent?: boolean | null
    flag?: string | null
    latitude?: number | null
    longitude?: number | null
    tld?: unknown | null
    borders?: quire.ToMany
    cities?: quire.ToMany
  }
  update: {
    name?: string
    officialName?: string | null
    cca2?: string
    cca3?: string
    region?: 'Africa' | 'Americas' | 'Antarctic' | 'Asia' | 'Europe' | 'Oceania'
    subregion?: string | null
    capital?: string | null
    area?: number | null
    landlocked?: boolean | null
    independent?: boolean | null
    flag?: string | null
    latitude?: number | null
    longitude?: number | null
    tld?: unknown | null
    borders?: quire.ToMany
    cities?: quire.ToMany
  }
}

export interface List {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    name: string
    ownerName: string | null
    createdAt: string
    updatedAt: string
    publishedAt: string | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    name: quire.TextFilter
    ownerName: quire.TextFilter
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
  }
  populate: {
    items: quire.Many<SharedItem>
  }
  create: {
    name: string
    ownerName?: string | null
    items?: readonly SharedItem_Input[] | null
  }
  update: {
    name?: string
    ownerName?: string | null
    items?: readonly SharedItem_Input[] | null
  }
}

export interface Note {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    title: string | null
    text: string | null
    createdAt: string
    updatedAt: string
    publishedAt: string | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    title: quire.TextFilter
    text: quire.TextFilter
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
  }
  populate: {
    picture: quire.One<UploadFile>
  }
  create: {
    title?: string | null
    text?: string | null
    picture?: quire.ToOne
  }
  update: {
    title?: string | null
    text?: string | null
    picture?: quire.ToOne
  }
}

export interface UploadFile {
  kind: 'collection'
  fields: {
    id: number
    documentId: string
    name: string
    alternativeText: string | null
    caption: string | null
    focalPoint: quire.FocalPoint | null
    width: number | null
    height: number | null
    formats: quire.FileFormats | null
    hash: string
    ext: string | null
    mime: string
    size: number
    url: string
    previewUrl: string | null
    provider: string
    provider_metadata: unknown
    createdAt: string
    updatedAt: string
    publishedAt: string | null
  }
  onRequest: {
    thumbhash: string | null
    private: boolean | null
  }
  filters: {
    id: quire.OrderedFilter<number>
    documentId: quire.TextFilter
    name: quire.TextFilter
    alternativeText: quire.TextFilter
    caption: quire.TextFilter
    focalPoint: quire.PlainFilter
    width: quire.OrderedFilter<number>
    height: quire.OrderedFilter<number>
    formats: quire.PlainFilter
    thumbhash: quire.TextFilter
    hash: quire.TextFilter
    ext: quire.TextFilter
    mime: quire.TextFilter
    size: quire.OrderedFilter<number>
    url: quire.TextFilter
    previewUrl: quire.TextFilter
    provider: quire.TextFilter
    provider_metadata: quire.PlainFilter
    private: quire.OrderedFilter<boolean>
    createdAt: quire.OrderedFilter<string | globalThis.Date>
    updatedAt: quire.OrderedFilter<string | globalThis.Date>
    publishedAt: quire.OrderedFilter<string | globalThis.Date>
  }
  populate: {}
  create: {
    name: string
    alternativeText?: string | null
    caption?: string | null
    focalPoint?: unknown | null
    width?: number | null
    height?: number | null
    formats?: unknown | null
    thumbhash?: string | null
    hash: string
    ext?: string | null
    mime: string
    size: number
    url: string
    previewUrl?: string | null
    provider: string
    provider_metadata?: unknown | null
    private?: boolean | null
  }
  update: {
    name?: string
    alternativeText?: string | null
    caption?: string | null
    focalPoint?: unknown | null
    width?: number | null
    height?: number | null
    formats?: unknown | null
    thumbhash?: string | null
    hash?: string
    ext?: string | null
    mime?: string
    size?: number
    url?: string
    previewUrl?: string | null
    provider?: string
    provider_metadata?: unknown | null
    private?: boolean | null
  }
}

export interface SharedCta {
  fields: {
    id: number
    label: string
    url: string
    style: 'primary' | 'secondary' | null
  }
  unfinished: 'label' | 'url'
  filters: {
    id: quire.OrderedFilter<number>
    label: quire.TextFilter
    url: quire.TextFilter
    style: quire.TextFilter<'primary' | 'secondary'>
  }
  populate: {}
}

export interface SharedCta_Input {
  id?: number
  label?: string | null
  url?: string | null
  style?: 'primary' | 'secondary' | null
}

export interface SharedItem {
  fields: {
    id: number
    text: string
  }
  unfinished: 'text'
  filters: {
    id: quire.OrderedFilter<number>
    text: quire.TextFilter
  }
  populate: {}
}

export interface SharedItem_Input {
  id?: number
  text?: string | null
}

export interface SharedQuote {
  fields: {
    id: number
    text: string
    source: string | null
  }
  unfinished: 'text'
  filters: {
    id: quire.OrderedFilter<number>
    text: quire.TextFilter
    source: quire.TextFilter
  }
  populate: {}
}

export interface SharedQuote_Input {
  id?: number
  text?: string | null
  source?: string | null
}

export interface SharedRichText {
  fields: {
    id: number
    body: string
  }
  unfinished: 'body'
  filters: {
    id: quire.OrderedFilter<number>
    body: quire.TextFilter
  }
  populate: {}
}

export interface SharedRichText_Input {
  id?: number
  body?: string | null
}

export interface SharedSeo {
  fields: {
    id: number
    metaTitle: string
    metaDescription: string | null
  }
  unfinished: 'metaTitle'
  filters: {
    id: quire.OrderedFilter<number>
    metaTitle: quire.TextFilter
    metaDescription: quire.TextFilter
  }
  populate: {
    shareImage: quire.One<UploadFile>
  }
}

export interface SharedSeo_Input {
  id?: number
  metaTitle?: string | null
  metaDescription?: string | null
  shareImage?: quire.ToOne
}

export interface Content {
  locales: 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'ar' | 'ja' | 'zh'
  types: {
    articles: Article
    categories: Category
    cities: City
    countries: Country
    lists: List
    notes: Note
  }
  singular: {
    article: Article
    category: Category
    city: City
    country: Country
    list: List
    note: Note
  }
  files: UploadFile
}

const kinds = {
  articles: 'collection',
  categories: 'collection',
  cities: 'collection',
  countries: 'collection',
  lists: 'collection',
  notes: 'collection',
} as const

/** For `createStore` of `@quire/client/sync`. */
export const content: quire.ContentPlan<Content> = {
  types: {
    articles: {
      name: 'article',
      kind: 'collection',
      search: { title: 4, excerpt: 2, body: 1 },
      kinds: { content: 'json', createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: {
        cover: { to: '$files', many: false },
        seo: { component: 'shared.seo', many: false },
        sections: { zone: true },
        category: { to: 'categories', many: false },
        countries: { to: 'countries', many: true },
        localizations: { localizations: true },
      },
    },
    categories: {
      name: 'category',
      kind: 'collection',
      kinds: { createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: {
        articles: { to: 'articles', many: true, by: 'category' },
        localizations: { localizations: true },
      },
    },
    cities: {
      name: 'city',
      kind: 'collection',
      kinds: { location: 'json', createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: { country: { to: 'countries', many: false } },
    },
    countries: {
      name: 'country',
      kind: 'collection',
      search: { name: 4, officialName: 2, capital: 2, subregion: 1 },
      kinds: { tld: 'json', createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: {
        borders: { to: 'countries', many: true },
        cities: { to: 'cities', many: true, by: 'country' },
        localizations: { localizations: true },
      },
    },
    lists: {
      name: 'list',
      kind: 'collection',
      kinds: { createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: { items: { component: 'shared.item', many: true } },
    },
    notes: {
      name: 'note',
      kind: 'collection',
      kinds: { createdAt: 'date', updatedAt: 'date', publishedAt: 'date' },
      links: { picture: { to: '$files', many: false } },
    },
    $files: {
      name: 'upload.file',
      kind: 'collection',
      onRequest: ['thumbhash', 'private'],
      fields:
        'id,documentId,name,alternativeText,caption,focalPoint,width,height,formats,thumbhash,hash,ext,mime,size,url,previewUrl,provider,provider_metadata,private,createdAt,updatedAt,publishedAt',
      kinds: {
        focalPoint: 'json',
        formats: 'json',
        provider_metadata: 'json',
        createdAt: 'date',
        updatedAt: 'date',
        publishedAt: 'date',
      },
      links: {},
    },
  },
  components: {
    'shared.cta': { kinds: {}, links: {} },
    'shared.item': { kinds: {}, links: {} },
    'shared.quote': { kinds: {}, links: {} },
    'shared.rich-text': { kinds: {}, links: {} },
    'shared.seo': { kinds: {}, links: { shareImage: { to: '$files', many: false } } },
  },
}

export function createClient(options: quire.ClientOptions): quire.Client<Content> {
  return quire.createClient<Content>(kinds, options)
}
