// The application of the peer tests on net/http/fcgi: peer SOCKET.
package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/fcgi"
	"os"
	"strings"
	"time"
)

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		io.WriteString(w, strings.Repeat("x", 1048576))
	})
	http.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	})
	http.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		// The package takes no further record before the first bytes of the body are read.
		io.ReadFull(r.Body, make([]byte, 3))
		io.WriteString(w, "begun\n")
		w.(http.Flusher).Flush()
		time.Sleep(200 * time.Millisecond)
		io.WriteString(w, r.URL.RawQuery)
	})
	// An answer that comes when its client has gone: it is held until another request releases it.
	released := make(chan bool)
	http.HandleFunc("/held", func(w http.ResponseWriter, r *http.Request) {
		io.ReadFull(r.Body, make([]byte, 3))
		<-released
		io.WriteString(w, "SECRET-OF-"+r.URL.RawQuery)
		w.(http.Flusher).Flush()
		released <- true
	})
	http.HandleFunc("/release", func(w http.ResponseWriter, r *http.Request) {
		released <- true
		<-released
		io.WriteString(w, "released")
	})
	log.Fatal(fcgi.Serve(listener, nil))
}

func echo(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("X-Method", r.Method)
	header.Set("X-Query", r.URL.RawQuery)
	header.Set("X-Custom", r.Header.Get("X-Custom"))
	header.Add("Set-Cookie", "a=1")
	header.Add("Set-Cookie", "b=2")
	io.Copy(w, r.Body)
}
