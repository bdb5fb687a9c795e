#include "cms_floor.h"

#include <openssl/cms.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <time.h>

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static X509_STORE *trust(const char *pem, long long date) {
    BIO *text = BIO_new_mem_buf(pem, -1);
    X509 *root = PEM_read_bio_X509(text, NULL, NULL, NULL);
    X509_STORE *store = X509_STORE_new();
    if (root != NULL) X509_STORE_add_cert(store, root);
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), (time_t)date);
    X509_VERIFY_PARAM_set_purpose(X509_STORE_get0_param(store), X509_PURPOSE_ANY);
    X509_free(root);
    BIO_free(text);
    return store;
}

static int verify(const unsigned char *receipt, size_t length, X509_STORE *store) {
    CMS_ContentInfo *container = d2i_CMS_ContentInfo(NULL, &receipt, (long)length);
    BIO *content = BIO_new(BIO_s_mem());
    int good = container != NULL && CMS_verify(container, NULL, store, NULL, content, CMS_BINARY) == 1
        && BIO_pending(content) > 0;
    BIO_free(content);
    CMS_ContentInfo_free(container);
    return good;
}

double floor_verify_cms(
    const unsigned char *receipt, size_t length, const char *root, long long date, int repetitions) {
    X509_STORE *store = trust(root, date);
    int good = verify(receipt, length, store);
    double start = processor_seconds();
    for (int index = 0; good && index < repetitions; index++) good = verify(receipt, length, store);
    double seconds = processor_seconds() - start;
    X509_STORE_free(store);
    return good ? seconds : -1;
}
