/**
 * Searches of the sample with the results that a reader wants, judged before any figure was measured. 3 is the entry
 * that the reader looks for, 2 a good and 1 an acceptable result. Other results have no value. Countries have their
 * `cca3`, articles their English slug.
 */
export interface JudgedSearch {
  readonly type: 'countries' | 'articles'
  readonly locale: string
  readonly text: string
  readonly grades: ReadonlyMap<string, number>
}

const of = (
  type: JudgedSearch['type'],
  locale: string,
  text: string,
  ...byGrade: readonly string[]
): JudgedSearch => {
  const grades = byGrade.flatMap((names, at) =>
    names
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => [name, 3 - at] as const),
  )
  return { type, locale, text, grades: new Map(grades) }
}

const country = (text: string, ...byGrade: readonly string[]) =>
  of('countries', 'en', text, ...byGrade)

const CARIBBEAN =
  'AIA ATG ABW BHS BRB BES VGB CYM CUB CUW DMA DOM GRD GLP HTI JAM MTQ MSR BLM KNA LCA MAF VCT SXM TTO TCA VIR PRI'
const WESTERN_AFRICA = 'BEN BFA CPV CIV GMB GHA GIN GNB LBR MLI MRT NER NGA SHN SEN SLE TGO'

export const JUDGED_SEARCHES: readonly JudgedSearch[] = [
  country('france', 'FRA'),
  country('germany', 'DEU'),
  country('korea', 'KOR PRK'),
  country('republic of korea', 'KOR', 'PRK'),
  country('south korea', 'KOR', 'PRK'),
  country('congo', 'COG COD'),
  country('guinea', 'GIN', 'GNB GNQ PNG'),
  country('sudan', 'SDN', 'SSD'),
  country('united states', 'USA', 'UMI VIR', 'MEX FSM'),
  country('united kingdom', 'GBR'),
  country('emirates', 'ARE'),
  country('virgin islands', 'VIR VGB'),
  country('paris', 'FRA'),
  country('tokyo', 'JPN'),
  country('san jose', 'CRI'),
  country('kingston', 'JAM NFK'),
  country('washington', 'USA'),
  country("cote d'ivoire", 'CIV'),
  country('ivory', 'CIV'),
  country('reunion', 'REU'),
  country('curacao', 'CUW'),
  country('aland', 'ALA'),
  country('sao tome', 'STP'),
  country('saint lucia', 'LCA'),
  country('saint vincent', 'VCT'),
  country('helena', 'SHN'),
  country('south africa', 'ZAF'),
  country('south sudan', 'SSD', 'SDN'),
  country('czech', 'CZE'),
  country('russian federation', 'RUS'),
  country('hellenic', 'GRC'),
  country('swiss', 'CHE'),
  country('netherland', 'NLD', 'BES'),
  country('new zealand', 'NZL'),
  country('new', 'NZL NCL', 'PNG'),
  country('grand duchy', 'LUX'),
  country('principality', 'AND LIE MCO'),
  country('sultanate', 'OMN'),
  country('plurinational', 'BOL'),
  country('bolivarian', 'VEN'),
  country('democratic republic congo', 'COD', 'COG'),
  country('niger', 'NER', 'NGA'),
  country('dominica', 'DMA', 'DOM'),
  country('mex', 'MEX'),
  country('switz', 'CHE'),
  country('swizterland', 'CHE'),
  country('austr', 'AUT AUS'),
  country('caribbean', '', CARIBBEAN),
  country('western africa', '', WESTERN_AFRICA),
  country('port moresby', 'PNG', 'TTO MUS VUT'),
  of('countries', 'de', 'frankreich', 'FRA'),
  of('countries', 'de', 'osterreich', 'AUT'),
  of('countries', 'de', 'tschechien', 'CZE'),
  of('countries', 'de', 'kongo', 'COG COD'),
  of('countries', 'fr', 'etats unis', 'USA'),
  of('countries', 'fr', 'royaume uni', 'GBR'),
  of('countries', 'fr', 'coree', 'KOR PRK'),
  of('countries', 'ja', '日本', 'JPN'),
  of('articles', 'en', 'flat maps', 'every-flat-map-bends-the-truth'),
  of('articles', 'en', 'islands border', 'islands-with-a-border-across'),
  of('articles', 'en', 'landlocked', 'two-borders-from-the-sea'),
  of('articles', 'en', 'capital', 'capitals-that-nobody-would-guess'),
]
