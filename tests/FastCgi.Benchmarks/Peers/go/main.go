// The workloads on net/http/fcgi: peer SOCKET.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/fcgi"
	"os"
	"strconv"
	"time"
)

var chunk = bytes.Repeat([]byte{'x'}, 65536)

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chmod(os.Args[1], 0o666); err != nil {
		log.Fatal(err)
	}

	http.HandleFunc("/plaintext", plaintext)
	http.HandleFunc("/block", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond)
		plaintext(w, r)
	})
	http.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		body, _ := json.Marshal(map[string]string{"message": "Hello, World!"})
		send(w, "application/json", body)
	})
	http.HandleFunc("/form", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		send(w, "text/plain", []byte(fmt.Sprintf("fields=%d", len(r.PostForm))))
	})
	http.HandleFunc("/download", download)
	http.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
		length, err := io.CopyBuffer(io.Discard, r.Body, make([]byte, len(chunk)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		send(w, "text/plain", []byte(fmt.Sprintf("bytes=%d", length)))
	})
	http.HandleFunc("/events", events)
	log.Fatal(fcgi.Serve(listener, nil))
}

func plaintext(w http.ResponseWriter, _ *http.Request) {
	send(w, "text/plain", []byte("Hello, World!"))
}

func send(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func download(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", "1048576")
	for i := 0; i < 16; i++ {
		w.Write(chunk)
	}
}

func events(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	for i := 0; i < 100; i++ {
		fmt.Fprintf(w, "data: %d\n\n", i)
		w.(http.Flusher).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}
