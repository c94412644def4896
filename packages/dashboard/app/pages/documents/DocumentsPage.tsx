import { useParams } from "react-router"
import { DocumentPage } from "./DocumentPage.tsx"
import { DocumentListPage } from "./DocumentListPage.tsx"

/** Shows the list of the person's documents, or the document that the address names. */
export const DocumentsPage = () => {
  const { documentId } = useParams()
  return documentId === undefined ? <DocumentListPage /> : <DocumentPage key={documentId} documentId={documentId} />
}
