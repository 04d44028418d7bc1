import type { ArticleText } from './article-text.ts'

export const COMPROMISE_CAPITALS: ArticleText = {
  key: 'compromise-capitals',
  category: 'names',
  countries: ['AUS', 'BRA', 'CAN', 'TUR'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'Capitals that nobody would guess',
      slug: 'capitals-that-nobody-would-guess',
      excerpt:
        'Not Sydney, not Rio, not Toronto, not Istanbul: why the second choice so often wins.',
      paragraphs: [
        'Ask for the capital of Australia and you will hear *Sydney* before you hear *Canberra*. The city was founded because neither Sydney nor Melbourne would have the other; parliament has met there since 1927.',
        'Brasília was drawn on paper and opened in 1960, a thousand kilometres inland, to turn the eyes of Brazil away from its coast. Ottawa was picked in 1857, between the French and the English parts of Canada and at a safe distance from the United States. Ankara became the capital in 1923, when Istanbul stood for the empire that had ended.',
        'The pattern is the same: a capital that is nobody’s favourite offends nobody.',
      ],
      inShort: [
        'Canberra is a compromise between Sydney and Melbourne.',
        'Brasília opened in 1960 as a planned city.',
        'Ankara has been the capital of Turkey since 1923.',
      ],
      quote: {
        text: 'A good compromise is a town that both sides find dull.',
        source: 'The editors',
      },
    },
    {
      locale: 'de',
      status: 'draft',
      title: 'Hauptstädte, auf die niemand kommt',
      slug: 'hauptstaedte-auf-die-niemand-kommt',
      excerpt: 'Nicht Sydney, nicht Rio, nicht Toronto: warum so oft die zweite Wahl gewinnt.',
      paragraphs: [
        'Wer nach der Hauptstadt Australiens fragt, hört eher *Sydney* als *Canberra*. Die Stadt wurde gegründet, weil weder Sydney noch Melbourne der anderen den Vortritt ließ; seit 1927 tagt dort das Parlament.',
        'Die Fortsetzung über Brasília, Ottawa und Ankara wird noch übersetzt.',
      ],
      inShort: ['Canberra ist ein Kompromiss zwischen Sydney und Melbourne.'],
    },
  ],
}

export const THREE_CAPITALS: ArticleText = {
  key: 'three-capitals',
  category: 'names',
  countries: ['ZAF'],
  texts: [
    {
      locale: 'en',
      status: 'draft',
      title: 'One country, three capitals',
      slug: 'one-country-three-capitals',
      excerpt: 'South Africa shared its capital out, one power to a city.',
      paragraphs: [
        'The government of South Africa sits in Pretoria, its parliament in Cape Town, and the Supreme Court of Appeal in Bloemfontein. When four colonies became one union in 1910, none of them would go away with nothing.',
        'To do: a paragraph on Bolivia and the Netherlands, where the capital and the seat of government are two cities as well.',
      ],
      inShort: ['Pretoria governs, Cape Town legislates, Bloemfontein judges.'],
    },
  ],
}
