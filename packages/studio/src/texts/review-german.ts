import type { reviewEnglish } from './review-english.ts'

export const reviewGerman: Readonly<Record<keyof typeof reviewEnglish, string>> = {
  'review.title': 'Prüfung',
  'review.stage': 'Stufe',
  'review.assignee': 'Zugewiesen an',
  'review.nobody': 'Niemand',
  'review.ask': 'Um Prüfung bitten',
  'review.required': 'Nur Entwürfe in der Stufe {stage} können veröffentlicht werden.',
  'review.stage.draft': 'Entwurf',
  'review.stage.in-review': 'In Prüfung',
  'review.stage.ready': 'Bereit',
  'home.waiting': 'Wartet auf Sie',
}
