export const reviewEnglish = {
  'review.title': 'Review',
  'review.stage': 'Stage',
  'review.assignee': 'Assigned to',
  'review.nobody': 'Nobody',
  'review.ask': 'Ask for review',
  'review.required': 'Only drafts in the stage {stage} can be published.',
  'review.stage.draft': 'Draft',
  'review.stage.in-review': 'In review',
  'review.stage.ready': 'Ready',
  'home.waiting': 'Waiting for you',
} as const
