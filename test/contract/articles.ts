interface Writing {
  /** The name of the document in later steps. */
  readonly name: string
  /** The query of the request, which selects the version to write. */
  readonly query?: string
  readonly method?: 'PUT'
  readonly data: Readonly<Record<string, unknown>>
}

/** In order of writing. `views` identifies each of them. */
export const ARTICLES: readonly Writing[] = [
  {
    name: 'a1',
    data: {
      title: 'Alpha one',
      slug: 'alpha-one',
      body: '# Alpha body',
      blocks: [{ type: 'paragraph', children: [{ type: 'text', text: 'Block text' }] }],
      views: 10,
      rating: 4.5,
      price: 9.99,
      big: '9007199254740993',
      published_on: '2024-01-15',
      starts_at: '2024-01-15T10:00:00.000Z',
      opens: '08:30:00',
      kind: 'news',
      featured: true,
      contact: 'alpha@quire.test',
      extra: { k: 'v', n: 1 },
      secret: 's1',
      pass: 'pw-one',
      cover: '{{pic}}',
      gallery: ['{{pic}}', '{{txt}}'],
      category: '{{science}}',
      tags: ['{{red}}', '{{green}}'],
      author: '{{ann}}',
      note: '{{note}}',
      seo: {
        metaTitle: 'SEO one',
        metaDescription: 'Description one',
        metaImage: '{{pic}}',
        metaSocial: [
          { network: 'Facebook', title: 'fb one' },
          { network: 'Twitter', title: 'tw one' },
        ],
      },
      links: [
        { label: 'L1', url: '/one', weight: 5 },
        { label: 'L2', url: '/two', external: true, weight: 1 },
      ],
      sections: [
        { __component: 'sections.hero', heading: 'Hero one', image: '{{pic}}', author: '{{ann}}' },
        { __component: 'sections.quote', text: 'Quote one', cite: 'Someone' },
        { __component: 'sections.linklist', caption: 'LL one', links: [{ label: 'inner' }] },
      ],
    },
  },
  {
    name: 'a1fr',
    query: '/{{a1}}?locale=fr',
    method: 'PUT',
    data: { title: 'Alpha un', slug: 'alpha-un', body: 'Corps', links: [{ label: 'Lfr' }] },
  },
  {
    name: 'a2',
    data: {
      title: 'beta two',
      slug: 'beta-two',
      views: 20,
      rating: 3,
      price: 19.5,
      big: '42',
      published_on: '2024-02-20',
      starts_at: '2024-02-20T23:59:59.999Z',
      opens: '12:00:00',
      kind: 'opinion',
      featured: false,
      contact: 'beta@quire.test',
      extra: [1, 2, 3],
      category: '{{science}}',
      tags: ['{{red}}'],
      author: '{{bob}}',
      related: ['{{a1}}'],
      seo: { metaTitle: 'SEO two' },
      links: [{ label: 'L3', weight: 9 }],
    },
  },
  {
    name: 'a3',
    data: {
      title: 'Gamma THREE',
      slug: 'gamma',
      body: 'gamma body',
      views: 30,
      rating: 1.25,
      price: -2.5,
      big: '-5',
      published_on: '2023-12-31',
      starts_at: '2023-12-31T00:00:00.000Z',
      opens: '23:15:30.500',
      kind: 'review',
      extra: 'plain',
      category: '{{arts}}',
      tags: ['{{blue}}', '{{green}}'],
      author: '{{ann}}',
      related: ['{{a2}}', '{{a1}}'],
    },
  },
  { name: 'a4', data: { title: 'Élan été', views: 40, featured: null, category: '{{hidden}}' } },
  { name: 'a5', data: { title: '100% pure_gold', views: 50, body: '' } },
  { name: 'a6', data: { title: `O'Reilly "q" (re.*) [x] \\back $1`, views: 60, body: 'a.c' } },
  { name: 'a7', data: { title: '日本語 Straße ELAN', views: 70, body: 'abc' } },
  {
    name: 'a8',
    query: '?status=draft',
    data: { title: 'Draft eight', views: 80, category: '{{arts}}', tags: ['{{blue}}'] },
  },
  {
    name: 'a2',
    query: '/{{a2}}?status=draft',
    method: 'PUT',
    data: { title: 'beta two modified', views: 21 },
  },
]
