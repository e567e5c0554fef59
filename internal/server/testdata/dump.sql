--
-- PostgreSQL database dump
--

\restrict vW2gYpkNHs1rcChaIRHb8EGnDDfj9WhYwMoUzgAsTLHKZWuKdu0tdUTu6kdJOjB

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: f(); Type: FUNCTION; Schema: public; Owner: pgassay
--

CREATE FUNCTION public.f() RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN true THEN 1
             ELSE NULL::integer
         END AS "case";
 SELECT 2;
END;


ALTER FUNCTION public.f() OWNER TO pgassay;

--
-- Name: g(); Type: FUNCTION; Schema: public; Owner: pgassay
--

CREATE FUNCTION public.g() RETURNS integer
    LANGUAGE plpgsql
    AS $$begin return 1; end$$;


ALTER FUNCTION public.g() OWNER TO pgassay;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: t; Type: TABLE; Schema: public; Owner: pgassay
--

CREATE TABLE public.t (
    id integer NOT NULL,
    note text,
    "from stdin" text
);


ALTER TABLE public.t OWNER TO pgassay;

--
-- Data for Name: t; Type: TABLE DATA; Schema: public; Owner: pgassay
--

COPY public.t (id, note, "from stdin") FROM stdin;
1	a;\tb	x\\.
2	\N	two\nlines \\.
\.


--
-- Name: t t_pkey; Type: CONSTRAINT; Schema: public; Owner: pgassay
--

ALTER TABLE ONLY public.t
    ADD CONSTRAINT t_pkey PRIMARY KEY (id);


--
-- Name: t r; Type: RULE; Schema: public; Owner: pgassay
--

CREATE RULE r AS
    ON DELETE TO public.t DO ( SELECT 1 AS "?column?";
 SELECT 2 AS "?column?";
);


--
-- PostgreSQL database dump complete
--

\unrestrict vW2gYpkNHs1rcChaIRHb8EGnDDfj9WhYwMoUzgAsTLHKZWuKdu0tdUTu6kdJOjB

