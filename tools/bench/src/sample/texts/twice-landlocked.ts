import type { ArticleText } from './article-text.ts'

export const TWICE_LANDLOCKED: ArticleText = {
  key: 'twice-landlocked',
  category: 'borders',
  countries: ['LIE', 'UZB', 'LSO', 'SMR', 'VAT'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'Two borders from the sea',
      slug: 'two-borders-from-the-sea',
      excerpt:
        'Forty-odd countries have no coast. Two of them have only neighbours that have none either.',
      paragraphs: [
        'Whoever leaves Liechtenstein arrives in Switzerland or in Austria, and from neither of them can a ship put to sea. To reach a beach one has to cross **two** borders, whichever way one goes. Geographers call such a country *doubly landlocked*.',
        'There is only one other. Uzbekistan touches Kazakhstan, Kyrgyzstan, Tajikistan, Afghanistan and Turkmenistan, and none of the five has access to the ocean. The Caspian does not count: its water leads nowhere but to itself.',
        'The opposite of many inland neighbours is having one alone. Lesotho lies within South Africa, San Marino and the Vatican within Italy. Their way to the sea is short, but it leads through one single country, and that country knows it.',
      ],
      inShort: [
        'Liechtenstein and Uzbekistan are the only doubly landlocked countries.',
        'Lesotho, San Marino and the Vatican have one neighbour each, all around.',
      ],
      quote: {
        text: 'A coast is the one border that leads to everybody.',
        source: 'The editors',
      },
    },
    {
      locale: 'de',
      status: 'published',
      title: 'Zwei Grenzen bis zum Meer',
      slug: 'zwei-grenzen-bis-zum-meer',
      excerpt:
        'Gut vierzig Länder haben keine Küste. Zwei von ihnen haben nur Nachbarn, denen es ebenso geht.',
      paragraphs: [
        'Wer Liechtenstein verlässt, kommt in die Schweiz oder nach Österreich, und aus keinem der beiden läuft ein Schiff aufs Meer aus. Bis zum nächsten Strand sind es immer **zwei** Grenzen. Geografen nennen ein solches Land *doppelt binnenländisch*.',
        'Es gibt nur noch ein zweites. Usbekistan grenzt an Kasachstan, Kirgisistan, Tadschikistan, Afghanistan und Turkmenistan, und keines der fünf hat Zugang zum Ozean. Das Kaspische Meer zählt nicht: Sein Wasser führt nirgendwohin als zu sich selbst.',
        'Das Gegenstück ist, nur einen Nachbarn zu haben. Lesotho liegt in Südafrika, San Marino und der Vatikan liegen in Italien. Ihr Weg zum Meer ist kurz, aber er führt durch ein einziges Land.',
      ],
      inShort: [
        'Nur Liechtenstein und Usbekistan sind doppelt von Land umschlossen.',
        'Lesotho, San Marino und der Vatikan haben je einen Nachbarn, rundum.',
      ],
    },
    {
      locale: 'fr',
      status: 'published',
      title: 'À deux frontières de la mer',
      slug: 'a-deux-frontieres-de-la-mer',
      excerpt:
        'Plus de quarante pays n’ont pas de côte. Deux d’entre eux n’ont que des voisins qui n’en ont pas non plus.',
      paragraphs: [
        'Qui quitte le Liechtenstein arrive en Suisse ou en Autriche, et d’aucune des deux un navire ne gagne le large. Pour atteindre une plage, il faut toujours franchir **deux** frontières. Les géographes parlent d’un pays *doublement enclavé*.',
        'Il n’en existe qu’un autre. L’Ouzbékistan touche le Kazakhstan, le Kirghizistan, le Tadjikistan, l’Afghanistan et le Turkménistan, et aucun des cinq n’a accès à l’océan. La Caspienne ne compte pas : son eau ne mène qu’à elle-même.',
        'L’inverse est de n’avoir qu’un seul voisin. Le Lesotho se trouve dans l’Afrique du Sud, Saint-Marin et le Vatican dans l’Italie. Leur chemin vers la mer est court, mais il passe par un seul pays.',
      ],
      inShort: [
        'Seuls le Liechtenstein et l’Ouzbékistan sont doublement enclavés.',
        'Le Lesotho, Saint-Marin et le Vatican ont chacun un voisin, tout autour.',
      ],
    },
  ],
}
