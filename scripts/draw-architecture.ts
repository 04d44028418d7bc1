import { writeFile } from 'node:fs/promises'
import { drawWings } from './architecture/draw-wings.ts'
import { readWings } from './architecture/wings.ts'

// `node dist/scripts/draw-architecture.js` draws `docs/architecture.svg` from the imports in `src`.
await writeFile('docs/architecture.svg', drawWings(await readWings('src')))
