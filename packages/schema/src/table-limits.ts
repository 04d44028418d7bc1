/** Of a table in `blocks`. */
export const MAX_TABLE_ROWS = 500
export const MAX_TABLE_COLUMNS = 50
