// Orders, renews and revokes a certificate as cert-manager for Kubernetes does: by golang.org/x/crypto/acme, with
// External Account Binding, an order that may be ready at once, and a key of its own for each certificate.
//
//	DIRECTORY KID HMAC_KEY ROOT_FILE FOLDER NAME...
//
// Writes first.pem, second.pem (both with their chains) and account.pem.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/acme"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 6 {
		return errors.New("usage: DIRECTORY KID HMAC_KEY ROOT_FILE FOLDER NAME...")
	}
	directory, kid, folder, names := args[0], args[1], args[4], args[5:]
	mac, err := base64.RawURLEncoding.DecodeString(args[2])
	if err != nil {
		return err
	}
	client, err := newClient(directory, args[3])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()

	// without a binding the server must say so in words that the library knows
	_, err = client.Register(ctx, &acme.Account{}, acme.AcceptTOS)
	var refused *acme.Error
	if !errors.As(err, &refused) || refused.ProblemType != "urn:ietf:params:acme:error:externalAccountRequired" {
		return fmt.Errorf("register without a binding: %v", err)
	}
	binding := &acme.ExternalAccountBinding{KID: kid, Key: mac}
	account := &acme.Account{Contact: []string{"mailto:ada@example.test"}, ExternalAccountBinding: binding}
	if _, err = client.Register(ctx, account, acme.AcceptTOS); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	// a controller that restarts registers again
	if _, err = client.Register(ctx, account, acme.AcceptTOS); err != acme.ErrAccountAlreadyExists {
		return fmt.Errorf("register again: %v", err)
	}
	if _, err = client.GetReg(ctx, ""); err != nil {
		return fmt.Errorf("account: %w", err)
	}

	if _, _, err = order(ctx, client, filepath.Join(folder, "first.pem"), names); err != nil {
		return err
	}
	der, key, err := order(ctx, client, filepath.Join(folder, "second.pem"), names)
	if err != nil {
		return err
	}
	// by the key of the certificate, as one does who found it
	if err = client.RevokeCert(ctx, key, der, acme.CRLReasonKeyCompromise); err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	newKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err = client.AccountKeyRollover(ctx, newKey); err != nil {
		return fmt.Errorf("key change: %w", err)
	}
	return client.DeactivateReg(ctx)
}

func newClient(directory, rootFile string) (*acme.Client, error) {
	roots := x509.NewCertPool()
	text, err := os.ReadFile(rootFile)
	if err != nil {
		return nil, err
	}
	roots.AppendCertsFromPEM(text)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &acme.Client{
		Key:          key,
		DirectoryURL: directory,
		HTTPClient:   &http.Client{Transport: transport, Timeout: time.Minute},
		UserAgent:    "certloop-acme-program",
	}, nil
}

func order(ctx context.Context, client *acme.Client, file string, names []string) ([]byte, *ecdsa.PrivateKey, error) {
	placed, err := client.AuthorizeOrder(ctx, acme.DomainIDs(names...))
	if err != nil {
		return nil, nil, fmt.Errorf("order: %w", err)
	}
	for _, url := range placed.AuthzURLs {
		authz, err := client.GetAuthorization(ctx, url)
		if err != nil {
			return nil, nil, fmt.Errorf("authorization: %w", err)
		}
		if authz.Status != acme.StatusValid {
			return nil, nil, fmt.Errorf("the authorization of %s is %s", authz.Identifier.Value, authz.Status)
		}
	}
	ready, err := client.WaitOrder(ctx, placed.URI)
	if err != nil {
		return nil, nil, fmt.Errorf("wait for the order: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: names[0]}, DNSNames: names}
	csr, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, nil, err
	}
	chain, url, err := client.CreateOrderCert(ctx, ready.FinalizeURL, csr, true)
	if err != nil {
		return nil, nil, fmt.Errorf("finalize: %w", err)
	}
	fetched, err := client.FetchCert(ctx, url, true)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch: %w", err)
	}
	if len(fetched) != len(chain) {
		return nil, nil, fmt.Errorf("fetched %d certificates instead of %d", len(fetched), len(chain))
	}
	if _, err = client.ListCertAlternates(ctx, url); err != nil {
		return nil, nil, fmt.Errorf("alternates: %w", err)
	}
	var text []byte
	for _, der := range chain {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return chain[0], key, os.WriteFile(file, text, 0o600)
}
