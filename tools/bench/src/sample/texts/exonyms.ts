import type { ArticleText } from './article-text.ts'

export const EXONYMS: ArticleText = {
  key: 'exonyms',
  category: 'names',
  countries: ['DEU', 'FIN', 'JPN', 'HUN'],
  texts: [
    {
      locale: 'en',
      status: 'published',
      title: 'What the neighbours call you',
      slug: 'what-the-neighbours-call-you',
      excerpt: 'Few countries bear as many names as Germany. Each tells who met whom first.',
      paragraphs: [
        'At home it is *Deutschland*, in English *Germany*, in French *Allemagne*, in Polish *Niemcy*, in Finnish *Saksa*. These are not translations of each other. Each language kept the name of those whom its speakers had met.',
        'The French met the Alemanni, a people on the upper Rhine. The Finns traded with Saxons. The Slavic word is older than any state and is commonly explained as *those whose speech one does not understand*.',
        'A name that a place has elsewhere is called an **exonym**. Ask this server for the same country in another locale, and you will find dozens of them: Finland is *Suomi* at home only, Hungary *Magyarország*, Japan *Nihon*.',
      ],
      inShort: [
        'Germany is Deutschland, Allemagne, Niemcy, Saksa and Tyskland, depending on who speaks.',
        'An exonym is the name that others gave to a place.',
      ],
    },
    {
      locale: 'de',
      status: 'published',
      title: 'Wie die Nachbarn einen nennen',
      slug: 'wie-die-nachbarn-einen-nennen',
      excerpt:
        'Kaum ein Land hat so viele Namen wie Deutschland. Jeder erzählt, wer wen zuerst traf.',
      paragraphs: [
        'Zu Hause heißt es *Deutschland*, auf Englisch *Germany*, auf Französisch *Allemagne*, auf Polnisch *Niemcy*, auf Finnisch *Saksa*. Keiner dieser Namen übersetzt einen anderen. Jede Sprache behielt den Namen derer, denen man begegnet war.',
        'Die Franzosen trafen die Alemannen am Oberrhein, die Finnen handelten mit Sachsen. Das slawische Wort ist älter als jeder Staat und wird meist erklärt als *jene, deren Rede man nicht versteht*.',
        'Ein Name, den ein Ort anderswo trägt, heißt **Exonym**. Wer diesen Server nach demselben Land in einer anderen Sprache fragt, findet Dutzende davon.',
      ],
      inShort: [
        'Deutschland heißt auch Germany, Allemagne, Niemcy, Saksa und Tyskland.',
        'Ein Exonym ist der Name, den andere einem Ort gegeben haben.',
      ],
    },
    {
      locale: 'fr',
      status: 'draft',
      title: 'Comment les voisins vous appellent',
      slug: 'comment-les-voisins-vous-appellent',
      excerpt: 'Peu de pays portent autant de noms que l’Allemagne.',
      paragraphs: [
        'Chez elle, c’est *Deutschland* ; en anglais *Germany*, en polonais *Niemcy*, en finnois *Saksa*. Aucun de ces noms n’en traduit un autre : chaque langue a gardé celui des gens qu’elle avait rencontrés.',
      ],
      inShort: ['Un exonyme est le nom que d’autres ont donné à un lieu.'],
    },
  ],
}
