import type { ArticleText } from './article-text.ts'

export const FLAT_MAPS: ArticleText = {
  key: 'flat-maps',
  category: 'maps',
  countries: ['GRL'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'Every flat map bends the truth',
      slug: 'every-flat-map-bends-the-truth',
      excerpt:
        'On many a wall Greenland is as large as Africa. The globe disagrees, fourteen to one.',
      paragraphs: [
        'Peel an orange and press the skin flat: it tears, or it stretches. A map of the world has the same choice. In 1569 Gerardus Mercator chose to stretch, and his sheet served sailors so well that it still hangs in classrooms.',
        'What he kept are **angles**. A straight line on his map is a course that a ship can hold with a compass. What he gave up are **areas**: at 60 degrees of latitude lengths are doubled already, and areas are four times too large.',
        'So Greenland, with 2.2 million square kilometres, looks as large as Africa with its 30 million. No projection is wrong, and none is right. The question is only what a map is for.',
      ],
      inShort: [
        'Mercator keeps angles and gives up areas.',
        'At 60 degrees north or south everything looks four times its size.',
        'Africa is about fourteen times as large as Greenland.',
      ],
      quote: {
        text: 'The map that is good for everything is the globe, and it does not fit into a pocket.',
        source: 'The editors',
      },
    },
    {
      locale: 'de',
      status: 'published',
      title: 'Jede flache Karte verbiegt die Wahrheit',
      slug: 'jede-flache-karte-verbiegt-die-wahrheit',
      excerpt:
        'An mancher Wand ist Grönland so groß wie Afrika. Der Globus widerspricht, vierzehn zu eins.',
      paragraphs: [
        'Wer eine Orange schält und die Schale flach drückt, sieht sie reißen oder sich dehnen. Eine Weltkarte hat dieselbe Wahl. Gerhard Mercator entschied sich 1569 für das Dehnen, und sein Blatt diente den Seeleuten so gut, dass es noch heute in Klassenzimmern hängt.',
        'Bewahrt hat er die **Winkel**: Eine Gerade auf seiner Karte ist ein Kurs, den ein Schiff mit dem Kompass halten kann. Aufgegeben hat er die **Flächen**: Auf 60 Grad Breite sind Längen bereits verdoppelt und Flächen viermal zu groß.',
        'So wirkt Grönland mit seinen 2,2 Millionen Quadratkilometern so groß wie Afrika mit seinen 30 Millionen. Keine Projektion ist falsch, und keine ist richtig. Die Frage ist nur, wozu eine Karte dient.',
      ],
      inShort: [
        'Mercator bewahrt Winkel und opfert Flächen.',
        'Auf 60 Grad Breite erscheint alles viermal so groß.',
        'Afrika ist etwa vierzehnmal so groß wie Grönland.',
      ],
    },
    {
      locale: 'fr',
      status: 'published',
      title: 'Toute carte plate tord la vérité',
      slug: 'toute-carte-plate-tord-la-verite',
      excerpt:
        'Sur bien des murs, le Groenland est aussi grand que l’Afrique. Le globe dit le contraire, à quatorze contre un.',
      paragraphs: [
        'Pelez une orange et aplatissez la peau : elle se déchire ou elle s’étire. Une carte du monde a le même choix. En 1569, Gérard Mercator choisit d’étirer, et sa feuille servit si bien les marins qu’elle orne encore les salles de classe.',
        'Il a gardé les **angles** : une droite sur sa carte est un cap que l’on tient à la boussole. Il a abandonné les **surfaces** : à 60 degrés de latitude, les longueurs sont déjà doublées et les surfaces quatre fois trop grandes.',
        'Ainsi le Groenland, avec 2,2 millions de kilomètres carrés, paraît aussi grand que l’Afrique et ses 30 millions. Aucune projection n’est fausse, aucune n’est juste. Reste à savoir à quoi sert une carte.',
      ],
      inShort: [
        'Mercator garde les angles et sacrifie les surfaces.',
        'À 60 degrés de latitude, tout paraît quatre fois plus grand.',
        'L’Afrique est environ quatorze fois plus grande que le Groenland.',
      ],
    },
  ],
}
