# pgassay with PostgreSQL 16, so that it can also create servers of its own.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /pgassay ./cmd/pgassay

FROM postgres:16-bookworm
COPY --from=build /pgassay /usr/local/bin/pgassay
# The base image declares a volume for its own cluster; pgassay needs none of it.
ENV PGASSAY_HOME=/var/lib/pgassay
RUN mkdir -p /var/lib/pgassay /results/pgassay-runs && chown -R postgres:postgres /var/lib/pgassay /results
USER postgres
WORKDIR /results
ENTRYPOINT ["pgassay"]
CMD ["run", "quick"]
