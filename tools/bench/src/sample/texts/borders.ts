import type { ArticleText } from './article-text.ts'

export const SHARED_ISLANDS: ArticleText = {
  key: 'shared-islands',
  category: 'borders',
  countries: ['HTI', 'DOM', 'IDN', 'MYS', 'BRN', 'PNG', 'TLS', 'IRL', 'GBR', 'MAF', 'SXM'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'Islands with a border across',
      slug: 'islands-with-a-border-across',
      excerpt: 'An island is the plainest country there could be, unless two states live on it.',
      paragraphs: [
        'Haiti and the Dominican Republic share Hispaniola. Ireland and the United Kingdom share Ireland. On Saint Martin, in the Caribbean, France and the Kingdom of the Netherlands meet on fewer than ninety square kilometres.',
        'Borneo is the only island of three states: Indonesia holds most of it, Malaysia the north, and Brunei lies within the Malaysian part in two pieces. Indonesia also borders Papua New Guinea on New Guinea, and East Timor on Timor.',
        'Follow the `borders` of a country in this sample and you will find that all of these have a neighbour, although every one of them is surrounded by water.',
      ],
      inShort: [
        'Borneo is divided between three countries.',
        'Indonesia has land borders on three islands.',
      ],
    },
    {
      locale: 'de',
      status: 'draft',
      title: 'Inseln mit einer Grenze darin',
      slug: 'inseln-mit-einer-grenze-darin',
      excerpt: 'Eine Insel wäre das einfachste Land, wenn nicht zwei Staaten darauf lägen.',
      paragraphs: [
        'Haiti und die Dominikanische Republik teilen sich Hispaniola, Irland und das Vereinigte Königreich die Insel Irland. Auf Borneo sind es sogar drei Staaten.',
      ],
      inShort: ['Borneo gehört zu drei Staaten.'],
    },
  ],
}

export const SHORTEST_BORDER: ArticleText = {
  key: 'shortest-border',
  category: 'borders',
  countries: ['BWA', 'ZMB', 'NAM', 'ZWE'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'A hundred and fifty metres of river',
      slug: 'a-hundred-and-fifty-metres-of-river',
      excerpt: 'At Kazungula four countries almost meet, and two of them meet only just.',
      paragraphs: [
        'Where the Chobe flows into the Zambezi, the borders of Namibia, Botswana, Zambia and Zimbabwe come together, but not in a single point. Between Botswana and Zambia a stretch of river is left, about a hundred and fifty metres of it.',
        'For decades a ferry crossed it. Since May 2021 there is a bridge, and it is curved: built straight, its far end would have stood in Zimbabwe.',
      ],
      inShort: [
        'Botswana and Zambia share about 150 metres of border, in the middle of a river.',
        'The bridge of Kazungula opened in May 2021.',
      ],
      quote: { text: 'It takes a curve to stay in two countries.', source: 'The editors' },
    },
  ],
}

export const COUNTING_CITIES: ArticleText = {
  key: 'counting-cities',
  category: 'maps',
  countries: ['JPN', 'CHN'],
  texts: [
    {
      locale: 'en',
      status: 'draft',
      title: 'How many people live in a city?',
      slug: 'how-many-people-live-in-a-city',
      excerpt: 'It depends on where the city ends, and on whom you ask.',
      paragraphs: [
        'There are three answers to the question. One counts whoever lives within the limits that the law draws, one follows the houses until they stop, and one includes everybody who comes in to work in the morning.',
        'The cities of this sample carry the figures of GeoNames, which come from many sources and years. Sort by them, but do not bet on them.',
      ],
      inShort: [
        'The limits of a city, its built-up area and its region have different populations.',
      ],
    },
  ],
}
