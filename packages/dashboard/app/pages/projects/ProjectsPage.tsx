import { useParams } from "react-router"
import { ProjectListPage } from "./ProjectListPage.tsx"
import { ProjectPage } from "./ProjectPage.tsx"

/** Shows the list of the person's projects, or the project that the address names. */
export const ProjectsPage = () => {
  const { projectId } = useParams()
  return projectId === undefined ? <ProjectListPage /> : <ProjectPage key={projectId} projectId={projectId} />
}
