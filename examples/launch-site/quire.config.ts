import { defineConfig } from '@quire/server'
import { publicationLog } from './extensions/publication-log.ts'

export default defineConfig({ extensions: [publicationLog()] })
