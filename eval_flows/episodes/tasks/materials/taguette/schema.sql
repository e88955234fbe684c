-- The database of Taguette 1.5.2 with its only user, as it makes it at its first start.
CREATE TABLE users (
    login VARCHAR(30) NOT NULL, created DATETIME NOT NULL, hashed_password VARCHAR(192), disabled BOOLEAN NOT NULL, password_set_date DATETIME, language VARCHAR(10),
    email VARCHAR(256), email_sent DATETIME, CONSTRAINT pk_users PRIMARY KEY (login)
);
CREATE UNIQUE INDEX ix_users_email ON users (email);
CREATE TABLE projects (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name VARCHAR(200) NOT NULL, description TEXT NOT NULL, created DATETIME NOT NULL);
CREATE TABLE project_members (
    project_id INTEGER NOT NULL, user_login VARCHAR(30) NOT NULL, privileges VARCHAR(11) NOT NULL,
    CONSTRAINT pk_project_members PRIMARY KEY (project_id, user_login),
    CONSTRAINT fk_project_members_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
    CONSTRAINT fk_project_members_user_login_users FOREIGN KEY(user_login) REFERENCES users (login) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ix_project_members_user_login ON project_members (user_login);
CREATE INDEX ix_project_members_project_id ON project_members (project_id);
CREATE TABLE documents (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name VARCHAR(200) NOT NULL, description TEXT NOT NULL, filename VARCHAR(200) NOT NULL, created DATETIME NOT NULL,
    project_id INTEGER NOT NULL, text_direction VARCHAR(13) NOT NULL, contents TEXT NOT NULL,
    CONSTRAINT fk_documents_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX ix_documents_project_id ON documents (project_id);
CREATE TABLE commands (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, date DATETIME NOT NULL, user_login VARCHAR(30) NOT NULL, project_id INTEGER NOT NULL, document_id INTEGER,
    payload TEXT NOT NULL,
    CONSTRAINT fk_commands_user_login_users FOREIGN KEY(user_login) REFERENCES users (login) ON UPDATE CASCADE,
    CONSTRAINT fk_commands_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX idx_project_id ON commands (project_id, id);
CREATE INDEX idx_project_document ON commands (project_id, document_id);
CREATE INDEX ix_commands_date ON commands (date);
CREATE INDEX ix_commands_user_login ON commands (user_login);
CREATE INDEX ix_commands_project_id ON commands (project_id);
CREATE INDEX ix_commands_document_id ON commands (document_id);
CREATE TABLE tags (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL, path VARCHAR(200) NOT NULL, description TEXT NOT NULL,
    CONSTRAINT uq_tags_project_id UNIQUE (project_id, path),
    CONSTRAINT fk_tags_project_id_projects FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX ix_tags_path ON tags (path);
CREATE INDEX ix_tags_project_id ON tags (project_id);
CREATE TABLE highlights (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL, start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL, snippet TEXT NOT NULL,
    CONSTRAINT fk_highlights_document_id_documents FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
CREATE INDEX ix_highlights_document_id ON highlights (document_id);
CREATE TABLE highlight_tags (
    highlight_id INTEGER NOT NULL, tag_id INTEGER NOT NULL,
    CONSTRAINT pk_highlight_tags PRIMARY KEY (highlight_id, tag_id),
    CONSTRAINT fk_highlight_tags_highlight_id_highlights FOREIGN KEY(highlight_id) REFERENCES highlights (id) ON DELETE CASCADE,
    CONSTRAINT fk_highlight_tags_tag_id_tags FOREIGN KEY(tag_id) REFERENCES tags (id) ON DELETE CASCADE
);
CREATE INDEX ix_highlight_tags_highlight_id ON highlight_tags (highlight_id);
CREATE INDEX ix_highlight_tags_tag_id ON highlight_tags (tag_id);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO alembic_version VALUES ('db5e31a0233d');
INSERT INTO users VALUES ('admin', '2026-01-01 00:00:00.000000', NULL, 0, NULL, NULL, NULL, NULL);
